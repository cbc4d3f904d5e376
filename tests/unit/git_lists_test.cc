// Files of git's that name paths: what git would write, delete or copy by them.
#include <gtest/gtest.h>

#include <optional>

#include "policy/protect/git/lists.h"
#include "policy/protect/git_review.h"
#include "tests/support/fake_host.h"

namespace mxc::git_lists_test {
namespace {

std::string Number(std::uint64_t number, int size) {
  std::string bytes;
  for (int shift = (size - 1) * 8; shift >= 0; shift -= 8)
    bytes += static_cast<char>(number >> shift & 0xFFU);
  return bytes;
}

// As git writes it: names, and a chunk behind them.
std::string PackIndex(const std::string& names, std::uint64_t packs, const std::string& second = "OIDF") {
  constexpr std::uint64_t kStart = 12 + 3 * 12;
  const std::uint64_t end = kStart + names.size();
  return std::string("MIDX\x01\x01\x02", 7) + std::string(1, '\0') + Number(packs, 4) + "PNAM" +
         Number(kStart, 8) + second + Number(end, 8) + Number(0, 4) + Number(end + 4, 8) + names + "xxxx";
}

TEST(GitLists, PackIndexesNameFilesBesideThem) {
  const std::string plain("pack-1.idx\0pack-2.idx\0\0\0", 24);
  EXPECT_TRUE(NamesPacksBeside(PackIndex(plain, 2)));
  EXPECT_TRUE(NamesPacksBeside(PackIndex("", 0)));
  EXPECT_TRUE(NamesPacksBeside("not one"));
  EXPECT_FALSE(NamesPacksBeside(PackIndex(plain, 3))) << "an empty one";
  EXPECT_FALSE(NamesPacksBeside(PackIndex(std::string("../pack-1.idx\0", 14), 1)));
  EXPECT_FALSE(NamesPacksBeside(PackIndex(std::string("pack-1.idx\0/x.idx\0", 18), 2)));
  EXPECT_FALSE(NamesPacksBeside(PackIndex(std::string("..\0", 3), 1)));
  EXPECT_FALSE(NamesPacksBeside(PackIndex("pack-1.idx", 1))) << "no end";
  EXPECT_FALSE(NamesPacksBeside(PackIndex(plain, 2, "PNAM"))) << "two lists";
  EXPECT_FALSE(NamesPacksBeside(PackIndex(plain, 2).substr(0, 60))) << "cut";
  EXPECT_FALSE(NamesPacksBeside("MIDX"));
}

TEST(GitLists, ConflictsAreTakenApart) {
  EXPECT_EQ(ConflictedPaths(""), std::vector<std::string>{});
  EXPECT_EQ(ConflictedPaths(std::string("aa\tx\0bb.1\ty\tz\0", 14)), (std::vector<std::string>{"x", "y\tz"}));
  EXPECT_EQ(ConflictedPaths("aa\tx"), std::nullopt);
  EXPECT_EQ(ConflictedPaths(std::string("aa x\0", 5)), std::nullopt);
}

class GitListReview : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddFile(kGit + "/HEAD").AddDirectory(kGit + "/objects").AddDirectory(kGit + "/refs");
    host_.AddFile("/srv/w/a/file").AddFile("/srv/w/a/.env").AddFile("/srv/secret");
  }
  // What is set aside, a line each.
  [[nodiscard]] std::string Review() const {
    std::string text;
    std::string gap;
    for (const GitChange& change : ReviewGit(before_, host_, gap)) {
      if (change.kind == GitChange::Kind::kList) text += change.part + " " + change.into + "\n";
    }
    return text + gap;
  }

  const std::string kGit = "/srv/w/a/.git";  // NOLINT
  FakeHost host_;                            // NOLINT
  GitSnapshot before_ = {.roots = {"/srv/w"},
                         .skipped = {"/srv/w/a/.env"},
                         .places = {{"/srv/w/a/.git", "/srv/w/a/.git"}},
                         .held = {{"/srv/w/a/tools/hooks"}}};  // NOLINT
};

TEST_F(GitListReview, ConflictsStandInTheWorkTree) {
  const auto conflict = [&](const std::string& path) {
    host_.AddFile(kGit + "/MERGE_RR", "aaaa\tfile" + std::string(1, '\0') + "aaaa\t" + path + '\0');
    return Review();
  };
  host_.AddSymlink("/srv/w/a/way", "..").AddSymlink("/srv/w/a/link", "file").AddDirectory("/srv/w/a/d");
  host_.AddFile("/srv/w/a/tools/hooks/x");
  for (const char* path : {"file", "d/new", "gone/new"}) EXPECT_EQ(conflict(path), "") << path;
  for (const char* path : {"../secret", "/srv/secret", ".git/config", "d/../file", "way/x", "link", "d", "",
                           ".env", "tools/hooks/x", "GIT~1/config"})
    EXPECT_EQ(conflict(path), kGit + "/MERGE_RR " + kGit + "\n") << path;
}

// Of a submodule, a linked work tree, and of what has none.
TEST_F(GitListReview, ConflictsStandInTheWorkTreeOfTheirs) {
  const std::string conflict("aaaa\tx/y\0", 9);
  const std::string module = kGit + "/modules/m";
  host_.AddDirectory(module + "/objects").AddDirectory(module + "/refs");
  host_.AddFile(module + "/config", "[core] worktree = ../../../m\n").AddFile(module + "/MERGE_RR", conflict);
  const std::string linked = kGit + "/worktrees/t";
  host_.AddFile(linked + "/commondir", "../..\n").AddFile(linked + "/gitdir", "/srv/w/t/.git\n");
  host_.AddFile("/srv/w/t/.git", "gitdir: " + linked + "\n").AddFile(linked + "/MERGE_RR", conflict);
  host_.AddDirectory("/srv/w/m/x").AddDirectory("/srv/w/t/x");
  EXPECT_EQ(Review(), "");
  host_.AddSymlink("/srv/w/t/x", "/srv").AddSymlink("/srv/w/a/m/x", "/srv");
  host_.AddDirectory("/srv/w/bare/objects").AddDirectory("/srv/w/bare/refs");
  host_.AddFile("/srv/w/bare/MERGE_RR", conflict);
  EXPECT_EQ(Review(), module + "/MERGE_RR " + kGit + "\n" + linked + "/MERGE_RR " + kGit +
                          "\n/srv/w/bare/MERGE_RR /srv/w/bare\n");
}

TEST_F(GitListReview, WorkTreesAreThoseThatSaySo) {
  const std::string entry = kGit + "/worktrees/t";
  const auto at = [&](const std::string& path) {
    host_.AddFile(entry + "/gitdir", path + "\n");
    return Review();
  };
  host_.AddFile("/srv/w/t/.git", "gitdir: ../a/.git/worktrees/t\n")
      .AddFile("/srv/v/.git", "gitdir: /srv/x\n");
  host_.AddFile("/srv/w/u/.git", "gitdir: ../b/.git\n").AddSymlink("/srv/w/l", "/srv/v");
  host_.AddDirectory("/srv/w/empty").AddFile(kGit + "/worktrees/none/HEAD");
  for (const char* path : {"/srv/w/t/.git", "/srv/w/gone/.git"}) EXPECT_EQ(at(path), "") << path;
  for (const char* path : {"/srv/v/.git", "/srv/w/l/.git", "/srv/w/u/.git", "/srv/w/empty/.git", "/srv/v",
                           "/srv/gone/.git", "/srv/w/t", "", " /srv/w/t/.git", "../../../../t/.git"})
    EXPECT_EQ(at(path), entry + " " + kGit + "\n") << path;
  host_.AddFile(kGit + "/config", "[extensions] relativeWorktrees = true\n");
  EXPECT_EQ(at("../../../../t/.git"), "");
  EXPECT_NE(at("../../../../../v/.git"), "");
  // The user's own.
  before_.passages = {{entry, "/srv/v/.git\n"}};
  EXPECT_EQ(at("/srv/v/.git"), "");
}

TEST_F(GitListReview, ObjectsComeFromWhatTheCommandCouldWrite) {
  const std::string list = kGit + "/objects/info/alternates";
  const auto at = [&](const std::string& text) {
    host_.AddFile(list, text);
    return Review();
  };
  host_.AddDirectory("/srv/w/b/.git/objects").AddSymlink("/srv/w/c", "b").AddDirectory("/srv/o/.git/objects");
  for (const char* text : {"/srv/w/b/.git/objects\n", "# x\n../../../b/.git/objects"})
    EXPECT_EQ(at(text), "") << text;
  for (const char* text : {"/srv/o/.git/objects\n", "../../../c/.git/objects\n", "\"/srv/w/b\"\n"})
    EXPECT_EQ(at(text), list + " " + kGit + "\n") << text;
  const std::string own = "/srv/o/.git/objects\n";
  before_.passages = {{list, own + std::string(1, '\0') + "/srv/o/.git/objects"}};
  EXPECT_EQ(at(own), "");
  host_.AddFile(list, own, {.changed = 7});
  EXPECT_EQ(Review(), list + " " + kGit + "\n") << "moved away, and back";
}

// An earlier run has left the line; this one turns what it leads to.
TEST_F(GitListReview, ObjectsComeFromWhereTheyCame) {
  const std::string list = kGit + "/objects/info/alternates";
  host_.AddFile(list, "/srv/w/alt\n").AddDirectory("/srv/w/alt/pack").AddFile("/srv/w/alt/12/x");
  before_.passages = {{list, std::string("/srv/w/alt\n\0/srv/w/alt", 22)}};
  EXPECT_EQ(Review(), "");
  host_.AddFile("/srv/w/alt/info/alternates", "/srv/o\n");
  EXPECT_EQ(Review(), list + " " + kGit + "\n") << "a store of its own";
  host_.Remove("/srv/w/alt/info/alternates");
  for (const char* link : {"/srv/w/alt/34", "/srv/w/alt/12/y", "/srv/w/alt/pack/z"}) {
    host_.AddSymlink(link, "/srv/o");
    EXPECT_EQ(Review(), list + " " + kGit + "\n") << link;
    host_.Remove(link);
  }
  EXPECT_EQ(Review(), "");
  host_.Remove("/srv/w/alt/12/x");
  host_.Remove("/srv/w/alt/12");
  host_.Remove("/srv/w/alt/info");
  host_.Remove("/srv/w/alt/pack");
  host_.Remove("/srv/w/alt");
  host_.AddSymlink("/srv/w/alt", "/srv/o").AddDirectory("/srv/o");
  EXPECT_EQ(Review(), list + " " + kGit + "\n");
}

// Whatever else the directory looks like.
TEST_F(GitListReview, PacksAndTablesStandBesideThem) {
  const std::string bad = PackIndex(std::string("../x.idx\0", 9), 1);
  host_.AddFile(kGit + "/objects/pack/multi-pack-index", bad);
  host_.AddFile(kGit + "/objects/pack/multi-pack-index.d/multi-pack-index-1.midx", bad);
  host_.AddFile(kGit + "/reftable/tables.list", "0x1.ref\n../0x2.ref\n")
      .AddFile(kGit + "/reftable/commondir");
  EXPECT_EQ(Review(), kGit + "/objects/pack/multi-pack-index " + kGit + "\n" + kGit +
                          "/objects/pack/multi-pack-index.d/multi-pack-index-1.midx " + kGit + "\n" + kGit +
                          "/reftable/tables.list " + kGit + "\n");
  host_.AddFile(kGit + "/objects/pack/multi-pack-index", PackIndex(std::string("x.idx\0", 6), 1));
  host_.Remove(kGit + "/objects/pack/multi-pack-index.d/multi-pack-index-1.midx");
  host_.AddFile(kGit + "/reftable/tables.list", "0x1.ref\n0x2.ref\n");
  EXPECT_EQ(Review(), "");
}

// `git reset` writes to what ORIG_HEAD names, `git fetch` to what a tag does.
TEST_F(GitListReview, RefsNameRefs) {
  const std::string refs[] = {kGit + "/ORIG_HEAD",        kGit + "/AUTO_MERGE",
                              kGit + "/refs/tags/v1",     kGit + "/refs/heads/a/b/c/d/e",
                              kGit + "/worktrees/w/HEAD", kGit + "/worktrees/w/refs/x"};
  host_.AddFile(kGit + "/worktrees/w/gitdir", "/srv/w/none/.git\n")
      .AddFile(kGit + "/worktrees/w/commondir", "../..\n");
  for (const std::string& ref : refs) {
    for (const char* text :
         {"ref: refs/heads/main\n", "ref:refs/x", "0123456789012345678901234567890123456789\n", "",
          "ref: refs/heads/ä/@/a.b-c,d{x}\t \n", "ref: refs/heads/.invalid\n"}) {
      host_.AddFile(ref, text);
      EXPECT_EQ(Review(), "") << ref << text;
    }
    for (const char* text :
         {"ref: commondir\n", "ref:config", "ref: \t\nobjects/12/x\n", "ref: refs/../config", "ref: HEAD\n",
          "ref: worktrees/w/gitdir\n", "ref:",
          // Not as git's check_refname_format has it: a prompt shows it.
          "ref: refs/heads/x\x1b]0;y\a\n", "ref: refs/heads/x\x7f", "ref: refs/x\nrefs/y\n", "ref: refs/x y",
          "ref: refs/x~", "ref: refs/x^", "ref: refs/x:", "ref: refs/x?", "ref: refs/x*", "ref: refs/x[",
          "ref: refs/x\\", "ref: refs/x@{0}", "ref: refs/.x", "ref: refs/x.lock", "ref: refs/x.lock/y",
          "ref: refs//x", "ref: refs/x/", "ref: refs/x.", "ref: refs/", "ref: refs/heads/.invalid/x"}) {
      host_.AddFile(ref, text);
      EXPECT_EQ(Review().substr(0, ref.size() + 1), ref + " ") << text;
    }
    host_.Remove(ref);
  }
  host_.AddFile(kGit + "/COMMIT_EDITMSG", "ref: the ticket\n").AddFile(kGit + "/description", "ref: x");
  EXPECT_EQ(Review(), "");
}

}  // namespace
}  // namespace mxc::git_lists_test
