// What a run has left for git on the host: told, or taken out of its way.
#include "policy/protect/git_review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "mxc/plan.h"
#include "tests/unit/git_review_text.h"

namespace mxc::git_review_test {
namespace {

using testing::HasSubstr;
using testing::Not;

using GitReview = GitReviewed;

TEST_F(GitReview, NothingNew) {
  AddRepository("/srv/w/a/.git", "[core] pager = x");
  EXPECT_EQ(Review(), "");
}

TEST_F(GitReview, WordsOfConfigurationsOfBeforeInNewWorkTrees) {
  const std::string clean = "[filter \"x\"]\n\tclean = timeout 5 sh clean.sh %f\n";
  host_->SetEnvironment("HOME", "/home/ana").AddFile("/home/ana/.gitconfig", clean);
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/b/.git");
  EXPECT_EQ(Review(), "new /srv/w/b/.git\n");
  host_->AddDirectory("/srv/w/b/5").AddFile("/srv/w/b/timeout");
  EXPECT_EQ(Review(), "new /srv/w/b/.git\n");
  host_->AddFile("/srv/w/b/clean.sh");
  EXPECT_EQ(Review(), "new /srv/w/b/.git\nfound /srv/w/b/clean.sh\n");
  host_->Remove("/home/ana/.gitconfig").Remove("/srv/w/b");
  AddRepository("/srv/w/a/.git", clean);
  host_->AddFile("/srv/w/a/.git/worktrees/c/gitdir", "/srv/w/a/c/.git\n");
  host_->AddFile("/srv/w/a/.git/worktrees/c/commondir", "../..\n");
  host_->AddFile("/srv/w/a/c/.git", "gitdir: /srv/w/a/.git/worktrees/c\n").AddFile("/srv/w/a/c/clean.sh");
  EXPECT_THAT(Review(), HasSubstr("found /srv/w/a/c/clean.sh\n"));
}

TEST_F(GitReview, PlainRepositoriesAreTold) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/vendor/b/.git");
  AddRepository("/srv/w/a/vendor/b/.git/modules/m");
  AddRepository("/srv/w/c/.git", "[alias]\n\tx = !y\n");
  AddRepository("/srv/w/bare");
  EXPECT_EQ(Review(), "new /srv/w/a/vendor/b/.git\nnew /srv/w/bare\nnew /srv/w/c/.git\n");
}

TEST_F(GitReview, WhatRunsSomethingInAnotherIsTakenAway) {
  const std::string at = "/srv/w/a/b/.git";
  const auto only = [&](const auto& arm) {
    host_.emplace();
    AddRepository("/srv/w/a/.git");
    AddRepository(at);
    arm();
    EXPECT_EQ(Review(), "aside " + at + " " + at + "\n");
  };
  only([&] { host_->AddFile(at + "/config", "[core]\n\tfsmonitor = x\n"); });
  only([&] { host_->AddFile(at + "/config", std::string(kPlain) + "#", {.links = 2}); });
  only([&] { host_->AddSymlink(at + "/config", "x"); });
  only([&] { host_->AddFile(at + "/config.worktree", "[core]\n\tpager = x\n"); });
  only([&] { host_->AddFile(at + "/config", "[core]\n\tbare = true\n"); });
  only([&] { host_->AddFile(at + "/hooks/pre-commit"); });
  only([&] { host_->AddSymlink(at + "/hooks/x.sample", "y"); });
  only([&] { host_->AddFile(at + "/commondir", "../../evil\n"); });
  only([&] { host_->AddFile(at + "/remotes/origin"); });
  only([&] { host_->AddFile(at + "/config", "[remote \"--upload-pack=x\"]\n\turl = /x\n"); });
  only([&] { host_->AddFile(at + "/config", "[branch \"main\"]\n\tremote = --upload-pack=x\n"); });
  only([&] { host_->AddFile(at + "/config", "[remote \"origin\"]\n\tpromisor = true\n"); });
}

// core.hooksPath = .githooks in ~/.gitconfig
TEST_F(GitReview, SoIsOneInWhichTheCallersConfigurationRunsSomething) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/b/.git");
  AddRepository("/srv/w/a/c/.git", std::string(kPlain) + "\tworktree = ../../d\n");
  host_->AddFile("/srv/w/a/b/.githooks/x").AddFile("/srv/w/a/d/.githooks/x");
  host_->AddFile("/srv/w/a/d/.git", "gitdir: ../c/.git\n");
  EXPECT_EQ(Review(), "new /srv/w/a/b/.git\nnew /srv/w/a/c/.git\nnew /srv/w/a/d/.git\n");
  host_->SetEnvironment("HOME", "/home/ana")
      .AddFile("/home/ana/.gitconfig", "[core] hooksPath = .githooks\n");
  const std::string others = "aside /srv/w/a/c/.git /srv/w/a/c/.git\naside /srv/w/a/d/.git /srv/w/a/d/.git\n";
  EXPECT_EQ(Review(), "aside /srv/w/a/b/.git /srv/w/a/b/.git\n" + others);
  host_->Remove("/srv/w/a/b/.githooks/x").Remove("/srv/w/a/b/.githooks");
  EXPECT_EQ(Review(), "new /srv/w/a/b/.git\n" + others);
}

TEST_F(GitReview, SoIsOneWhoseWorkTreeIsNotItsOwn) {
  host_->AddDirectory("/srv/outside").AddDirectory("/srv/w/a/src").AddSymlink("/srv/w/a/out", "/srv/outside");
  AddRepository("/srv/w/a/.git");
  const auto with = [&](const std::string& tree) {
    AddRepository("/srv/w/a/b/.git", std::string(kPlain) + "\tworktree = " + tree + "\n");
    return Review();
  };
  for (const char* tree : {"/srv/outside", "../../../../outside", "../../out", "../../src", "/srv/w/a", "x"})
    EXPECT_EQ(with(tree), "aside /srv/w/a/b/.git /srv/w/a/b/.git\n") << tree;
  EXPECT_EQ(with("../"), "new /srv/w/a/b/.git\n");
}

// git looks for .git first, and takes the directory itself where that is none.
TEST_F(GitReview, SoIsOneAtTheTopOfAWorkTreeWhoseGitIsNone) {
  const std::string head = "/srv/w/a/.git/HEAD";
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a", "[core]\n\tfsmonitor = x\n");
  before_.places.push_back({"/srv/w/a"});
  const std::string aside = "aside /srv/w/a /srv/w/a/objects\n";
  for (const char* text :
       {"ref: refs/heads/x\n", "ref:refs/x", "0123456789abcdef0123456789abcdef01234567\n"}) {
    host_->AddFile(head, text);
    EXPECT_EQ(Review(), "") << text;
  }
  for (const char* text : {"", "ref: heads/x", "ref:", "0123456789abcdef"}) {
    host_->AddFile(head, text);
    EXPECT_THAT(Review(), HasSubstr(aside)) << text;
  }
  host_->Remove(head).AddSymlink(head, "refs/heads/x");
  EXPECT_THAT(Review(), Not(HasSubstr(aside)));
  host_->Remove(head).AddSymlink(head, "x");
  EXPECT_THAT(Review(), HasSubstr(aside));
  host_->Remove(head).AddDirectory(head);
  EXPECT_EQ(Review(), aside);
  host_->AddFile("/srv/w/a/config", kPlain);
  EXPECT_EQ(Review(), "") << "nothing there runs anything";
}

TEST_F(GitReview, SoIsOneAboveAnother) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/.git", "[core]\n\tpager = x\n");
  EXPECT_EQ(Review(), "aside /srv/w/.git /srv/w/.git\n");
}

// git enters a submodule by a path from the top of the work tree, and looks at it from inside.
TEST_F(GitReview, DirectoriesTooDeepToBeSearchedAreTold) {
  AddRepository("/srv/w/a/.git");
  std::string deep = "/srv/w/a";
  for (int i = 0; i < 15; ++i) deep += "/" + std::string(199, 'd');
  AddRepository(deep + "/.git", "[core]\n\tfsmonitor = x\n");
  const std::string aside = "aside " + deep + "/.git " + deep + "/.git\n";
  EXPECT_EQ(Review(), aside);
  AddRepository(deep + "/" + std::string(199, 'd') + "/.git");
  EXPECT_EQ(Review(), "unlisted " + deep + " " + deep + "\n" + aside);
  before_.closed = {deep};
  EXPECT_EQ(Review(), aside);
}

TEST_F(GitReview, ShapesLoseWhatMakesThem) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/b", "[core]\n\tpager = x\n");
  host_->AddFile("/srv/w/a/c/HEAD").AddFile("/srv/w/a/c/commondir", "../../e\n");
  AddRepository("/srv/w/a/.git/modules/m", "[core]\n\tpager = x\n");
  EXPECT_EQ(Review(),
            "aside /srv/w/a/.git/modules/m /srv/w/a/.git/modules/m/objects\n"
            "aside /srv/w/a/b /srv/w/a/b/objects\naside /srv/w/a/c /srv/w/a/c/commondir\n");
}

TEST_F(GitReview, PointersAreWorthWhatTheyLeadTo) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/.git/modules/plain");
  AddRepository("/srv/w/a/.git/objects/hidden");
  host_->AddFile("/srv/w/a/.git/worktrees/t/HEAD").AddFile("/srv/w/a/.git/worktrees/t/commondir", "../..\n");
  host_->AddFile("/srv/w/a/1/.git", "gitdir: ../.git/modules/plain\n");
  host_->AddFile("/srv/w/a/2/.git", "gitdir: ../.git/objects/hidden\n");
  host_->AddFile("/srv/w/a/3/.git", "gitdir: ../.git/worktrees/t\n");
  host_->AddFile("/srv/w/a/4/.git", "gitdir: /none\n");
  host_->AddSymlink("/srv/w/a/5/.git", "../.git");
  host_->AddFile("/srv/w/a/6/.git", "gitdir: ../.git\n");
  const std::string text = Review();
  for (const char* line : {"new /srv/w/a/1/.git\n", "aside /srv/w/a/2/.git", "new /srv/w/a/3/.git\n",
                           "aside /srv/w/a/4/.git", "aside /srv/w/a/5/.git", "new /srv/w/a/6/.git\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  host_->AddFile("/srv/w/a/.git/config", "[core]\n\thooksPath = .husky\n");
  EXPECT_THAT(Review(), HasSubstr("aside /srv/w/a/6/.git"));
  EXPECT_THAT(Review(), HasSubstr("new /srv/w/a/3/.git\n"));  // as `git worktree add` makes it
  host_->AddFile("/srv/w/a/3/.husky/pre-commit");
  EXPECT_THAT(Review(), HasSubstr("aside /srv/w/a/3/.git"));
  host_->Remove("/srv/w/a/3/.husky").AddFile("/srv/w/a/.git/worktrees/t/.husky/update");
  EXPECT_THAT(Review(), HasSubstr("aside /srv/w/a/3/.git"));
  host_->Remove("/srv/w/a/.git/worktrees/t/.husky");
  host_->AddFile("/srv/w/a/.git/config", "[filter \"x\"]\n\tclean = /bin/sh tools/clean.sh\n");
  EXPECT_THAT(Review(), HasSubstr("aside /srv/w/a/6/.git"));
  // What cannot be read may say anything.
  host_->AddFile("/srv/w/a/.git/config", kPlain, {.readable = false});
  EXPECT_THAT(Review(), HasSubstr("aside /srv/w/a/6/.git"));
  host_->AddFile("/srv/w/a/.git/config", kPlain).AddFile("/srv/w/a/7/.git", "gitdir: ../.git\n");
  host_->AddNode("/srv/w/a/.git/commondir", FileType::kFifo);
  EXPECT_THAT(Review(), HasSubstr("aside /srv/w/a/7/.git"));
}

TEST_F(GitReview, CommonDirectoriesThatLeadToEachOther) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/x/.git");
  AddRepository("/srv/w/y/.git");
  host_->AddFile("/srv/w/x/.git/commondir", "../../y/.git\n")
      .AddFile("/srv/w/y/.git/commondir", "../../x/.git\n");
  before_.places = {{"/srv/w/a/.git"}, {"/srv/w/x/.git"}, {"/srv/w/y/.git"}};
  host_->AddFile("/srv/w/a/b/.git", "gitdir: ../../x/.git\n");
  EXPECT_EQ(Review(), "aside /srv/w/a/b/.git /srv/w/a/b/.git\n");
}

TEST_F(GitReview, AnEarlierRunHasLeftWhatIsKnownElsewhere) {
  AddRepository("/srv/w/a/.git", "[alias]\n\tx = !y\n");
  AddRepository("/srv/w/armed/.git", "[core]\n\tfsmonitor = /x\n");
  AddRepository("/srv/w/a/b/.git.untrusted", "[core]\n\tfsmonitor = /x\n");
  before_.places = {{"/srv/w/a/.git"}, {"/srv/w/armed/.git"}, {"/srv/w/a/b/.git.untrusted"}};
  host_->AddFile("/srv/w/a/b/.git", "gitdir: .git.untrusted\n")
      .AddFile("/srv/w/a/c/.git", "gitdir: ../../armed/.git");
  host_->AddFile("/srv/w/a/d/.git", "gitdir: ../.git\n");
  host_->AddFile("/srv/w/a/.git/modules/m/commondir", "../../../../armed/.git\n");
  EXPECT_EQ(Review(),
            "aside /srv/w/a/.git/modules/m /srv/w/a/.git/modules/m/commondir\n"
            "aside /srv/w/a/b/.git /srv/w/a/b/.git\naside /srv/w/a/c/.git /srv/w/a/c/.git\n"
            "new /srv/w/a/d/.git\n");
}

TEST_F(GitReview, LinksThatWereTurned) {
  before_.links = {{"/srv/w/a/.git/hooks", "../hooks"}, {"/srv/w/b", "c"}};
  host_->AddFile("/srv/w/a/.git/hooks/pre-commit").AddSymlink("/srv/w/b", "c");
  EXPECT_EQ(Review(), "link /srv/w/a/.git/hooks ../hooks\n");
}

TEST_F(GitReview, WhatAnUnfinishedOperationMayRun) {
  const std::string list = "/srv/w/a/.git/rebase-merge/git-rebase-todo";
  host_->AddFile(list, "pick 1\n");
  EXPECT_EQ(Review(), "");
  host_->AddFile(list, "exec x\n").AddFile("/srv/w/a/.git/rebase-merge/strategy", "foo/evil\n");
  EXPECT_EQ(Review(), "instructions /srv/w/a/.git/rebase-merge\n");
  before_.instructions = {{list, "exec x\n"}};
  EXPECT_EQ(Review(), "instructions /srv/w/a/.git/rebase-merge\n");
  before_.instructions.push_back({"/srv/w/a/.git/rebase-merge/strategy", "foo/evil\n"});
  EXPECT_EQ(Review(), "");
  host_->AddFile(list, "exec y\n");
  EXPECT_EQ(Review(), "instructions /srv/w/a/.git/rebase-merge\n");
  before_.roots = {list};  // of an editor of the list
  EXPECT_EQ(Review(), "instructions " + list + "\n");
}

TEST_F(GitReview, UnfinishedOperationsAreJudgedAsAWhole) {
  const auto only = [&](const auto& left) {
    host_.emplace();
    AddRepository("/srv/w/a/.git");
    left();
    return Review();
  };
  const std::string git = "/srv/w/a/.git/";
  const auto file = [&](const char* name, const char* text = "") {
    return only([&] { host_->AddFile(git + name, text); });
  };
  EXPECT_EQ(file("rebase-merge/strategy", "ort\n"), "");
  EXPECT_EQ(file("rebase-merge/strategy", "foo/evil\n"), "instructions " + git + "rebase-merge\n");
  EXPECT_EQ(file("rebase-merge/unheard-of"), "instructions " + git + "rebase-merge\n");
  EXPECT_EQ(file("rebase-apply/0001", "x y"), "");
  EXPECT_EQ(file("rebase-apply/apply-opt", "\n"), "");
  EXPECT_EQ(file("rebase-apply/apply-opt", "'--directory=x'\n"), "instructions " + git + "rebase-apply\n");
  EXPECT_EQ(file("sequencer/opts", "[options]\n\tstrategy = ours\n\tedit = true\n"), "");
  EXPECT_EQ(file("sequencer/opts", "[options]\n strategy = foo/evil\n"),
            "instructions " + git + "sequencer\n");
  EXPECT_EQ(file("BISECT_NAMES", " 'a b' 'c'\n"), "");
  EXPECT_EQ(file("BISECT_NAMES", "$(x)"), "instructions " + git + "BISECT_NAMES\n");
  EXPECT_EQ(file("gitweb/lighttpd"), "instructions " + git + "gitweb\n");  // git instaweb
  EXPECT_EQ(file("pid", "1\n"), "instructions " + git + "pid\n");
  EXPECT_EQ(file("svn/.caches/lookup_svn_merge.db", "pst0"), "instructions " + git + "svn/.caches\n");
  EXPECT_EQ(only([&] { host_->AddSymlink(git + "rebase-merge", "/proc/self/cwd/x"); }),
            "instructions " + git + "rebase-merge\n");
  EXPECT_EQ(only([&] { host_->AddSymlink(git + "rebase-merge/done", "/proc/self/cwd/x"); }),
            "instructions " + git + "rebase-merge\n");
  EXPECT_EQ(only([&] { host_->AddFile(git + "rebase-merge/end", "", {.links = 2}); }),
            "instructions " + git + "rebase-merge\n");
  EXPECT_EQ(only([&] {
              host_->AddDirectory(git + "rebase-merge", {.mode = 0300, .uid = 1000, .readable = false});
            }),
            "instructions " + git + "rebase-merge\n");
}

TEST_F(GitReview, RemotesOfTheOldForm) {
  AddRepository("/srv/w/a/.git");
  host_->AddFile("/srv/w/a/.git/remotes/old", "URL: x\n").AddFile("/srv/w/a/.git/branches/origin", "ext::x");
  EXPECT_EQ(Review(), "instructions /srv/w/a/.git/branches/origin\ninstructions /srv/w/a/.git/remotes/old\n");
  before_.instructions = {{"/srv/w/a/.git/remotes/old", "URL: x\n"}};
  EXPECT_EQ(Review(), "instructions /srv/w/a/.git/branches/origin\n");
}

// `git config` on the host does that.
TEST_F(GitReview, WhatSomebodyElseReplaced) {
  AddRepository("/srv/w/a/.git");
  const auto inode = [&](const char* path) { return host_->LookAt(path).status->object.inode; };
  host_->AddFile("/srv/w/a/.git/config.worktree", "", {.mode = kPlaceholderFileMode});
  before_.held = {{"/srv/w/a/.git/config", inode("/srv/w/a/.git/config")},
                  {"/srv/w/a/.git/config.worktree"},
                  {"/srv/w/a/.git/commondir"}};
  EXPECT_EQ(Review(), "");
  // The mode alone is anybody's to give.
  host_->AddFile("/srv/w/a/.git/config.worktree", "[alias]\n", {.mode = kPlaceholderFileMode});
  EXPECT_EQ(Review(), "replaced /srv/w/a/.git/config.worktree\n");
  host_->AddFile("/srv/w/a/.git/config.worktree", "");
  before_.held[0].inode = 999;
  const std::string lost = "replaced /srv/w/a/.git/config\nreplaced /srv/w/a/.git/config.worktree\n";
  EXPECT_EQ(Review(), lost);
  // A new file may get the number of an old one.
  host_->AddFile("/srv/w/a/.git/config", kPlain, {.changed = 9});
  before_.held[0].inode = inode("/srv/w/a/.git/config");
  before_.since = 8;
  EXPECT_EQ(Review(), lost);
}

// Another run goes on that began at 7: what is younger may be its command's.
TEST_F(GitReview, RepositoriesThatAreYoungerThanAnotherRun) {
  const auto review = [&](std::uint64_t changed, const std::string& config) {
    AddRepository("/srv/w/a/.git");
    host_->AddFile("/srv/w/a/.git/config", config, {.changed = changed});
    return Review();
  };
  const std::string armed = "[core]\n\tfsmonitor = x\n";
  EXPECT_EQ(review(8, armed), "");
  before_.others_since = 7;
  EXPECT_EQ(review(6, armed), "");
  EXPECT_EQ(review(8, kPlain), "");
  EXPECT_EQ(review(8, armed), "young /srv/w/a/.git\n");
  EXPECT_EQ(review(6, armed), "");
  host_->AddFile("/srv/w/a/.git/hooks/pre-commit", "x", {.changed = 8});
  EXPECT_EQ(review(6, kPlain), "young /srv/w/a/.git\n");
}

TEST_F(GitReview, DirectoriesThatAreWhatTheyWereAreNotListed) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const FakeAttributes old{.changed = 100 * kSecond};
  before_.since = 1000 * kSecond;
  AddRepository("/srv/w/a/.git");
  host_->AddDirectory("/srv/w", old).AddDirectory("/srv/w/b", old).AddDirectory("/srv/w/b/c", old);
  host_->AddDirectory("/srv/w/b/new", {.changed = 1001 * kSecond}).AddDirectory("/srv/w/b/other", old);
  AddRepository("/srv/w/b/new/x/.git");
  AddRepository("/srv/w/b/c/hidden/.git");
  AddRepository("/srv/w/b/other/.git");
  const auto inode = [&](const std::string& path) { return host_->LookAt(path).status->object.inode; };
  before_.listed = std::make_shared<const std::vector<GitSnapshot::Listed>>(
      std::vector<GitSnapshot::Listed>{{"/srv/w", inode("/srv/w")},
                                       {"/srv/w/a", 0},
                                       {"/srv/w/b", inode("/srv/w/b")},
                                       {"/srv/w/b/c", inode("/srv/w/b/c")},
                                       {"/srv/w/b/new", inode("/srv/w/b/new")},
                                       {"/srv/w/b/other", inode("/srv/w/b/other") + 1}});
  EXPECT_EQ(Review(), "new /srv/w/b/new/x/.git\nnew /srv/w/b/other/.git\n");
  // What has taken the place of a directory leads nowhere.
  host_->Remove("/srv/w/b").AddDirectory("/srv/else").AddSymlink("/srv/w/b", "../else");
  AddRepository("/srv/else/new/.git");
  host_->AddDirectory("/srv/w", {.changed = 1001 * kSecond});
  EXPECT_EQ(Review(), "");
}

TEST_F(GitReview, ConfigurationsThatTheCommandCouldWrite) {
  const std::string config = "/srv/w/a/.git/config";
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/bare.git");
  before_.places.push_back({"/srv/w/bare.git", "/srv/w/bare.git/objects"});
  before_.directories = {"/srv/w/a/.git", "/srv/w/bare.git"};
  before_.configs = {{.path = config, .text = kPlain}};
  const auto review = [&](const std::string& added) {
    host_->AddFile(config, kPlain + added);
    return Review();
  };
  host_->AddDirectory("/srv/up.git").AddSymlink("/srv/w/way", "../up.git").AddDirectory("/srv/w/evil");
  EXPECT_EQ(review(""), "");
  EXPECT_EQ(review("[user]\n\tname = x\n"), "");
  // Any run may have made one, hooks and all.
  for (const char* other :
       {"/srv/up.git", "/srv/w/bare.git", "/srv/w/a", "/srv/w/way", "/srv/w/evil", "/srv/gone"})
    EXPECT_EQ(review(std::string("[remote \"o\"]\n\turl = ") + other + "\n"),
              "config " + config + " remote.o.url\n");
  EXPECT_EQ(review("[core]\n\tpager = x\n"), "config " + config + " core.pager\n");
  host_->Remove(config);
  EXPECT_EQ(Review(), "config " + config + " it is no file of its own\n");
  host_->AddSymlink(config, "../x");
  EXPECT_EQ(Review(), "config " + config + " it is no file of its own\n");
}

TEST_F(GitReview, LinksOnTheWayLeadToNothingKnown) {
  AddRepository("/srv/w/a/.git");
  host_->AddSymlink("/srv/w/a/way", ".git").AddFile("/srv/w/a/b/.git", "gitdir: ../way\n");
  host_->AddFile("/srv/w/a/c/.git", "gitdir: /proc/self/cwd/x\n").AddSymlink("/proc/self", "1");
  host_->AddSymlink("/srv/w/a/d/commondir", "/proc/self/cwd/x");
  AddRepository("/srv/w/a/e/.git");
  host_->AddSymlink("/srv/w/a/e/.git/remotes", "/proc/self/cwd/x");
  EXPECT_EQ(Review(),
            "aside /srv/w/a/b/.git /srv/w/a/b/.git\naside /srv/w/a/c/.git /srv/w/a/c/.git\n"
            "aside /srv/w/a/d /srv/w/a/d/commondir /srv/w/a/d\naside /srv/w/a/e/.git /srv/w/a/e/.git\n");
}

// A directory is a repository by two names in it; that says nothing of what stands beside them.
TEST_F(GitReview, NothingHidesInADirectoryThatIsTold) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w", "[alias]\n\tx = !y\n");
  AddRepository("/srv/w/a/b/.git", "[alias]\n\tx = !y\n");
  host_->AddFile("/srv/w/a/.git/rebase-merge/git-rebase-todo", "exec x\n");
  EXPECT_EQ(Review(),
            "aside /srv/w /srv/w/objects\ninstructions /srv/w/a/.git/rebase-merge\n"
            "aside /srv/w/a/b/.git /srv/w/a/b/.git\n");
}

TEST_F(GitReview, WhatIsTakenUpIsTakenUpOnce) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/b/.git", "[alias]\n\tx = !y\n");
  host_->AddFile("/srv/w/a/b/.git/rebase-merge/git-rebase-todo", "exec x\n");
  EXPECT_EQ(Review(), "aside /srv/w/a/b/.git /srv/w/a/b/.git\n");
}

// Another run has set it aside meanwhile, and this one has put it back.
TEST_F(GitReview, WhatIsPutBackIsNew) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/b/.git", "[alias]\n\tx = !y\n");
  AddRepository("/srv/w/a/c", "[alias]\n\tx = !y\n");
  const std::string list = "/srv/w/a/.git/rebase-merge/git-rebase-todo";
  host_->AddDirectory("/srv/w/a/.git/rebase-merge", {.changed = 2}).AddFile(list, "exec x\n");
  host_->AddSymlink("/srv/w/a/.git/hooks", "../hooks", {.changed = 2});
  before_.places = {{"/srv/w/a/.git"}, {"/srv/w/a/b/.git"}, {"/srv/w/a/c", "/srv/w/a/c/objects"}};
  before_.instructions = {{list, "exec x\n", 2}};
  before_.links = {{"/srv/w/a/.git/hooks", "../hooks", 2}};
  EXPECT_EQ(Review(), "");
  before_.places[1].inode = 999;
  before_.places[2].inode = 999;
  before_.instructions[0].stamp = 1;
  before_.links[0].stamp = 1;
  EXPECT_EQ(Review(),
            "link /srv/w/a/.git/hooks \ninstructions /srv/w/a/.git/rebase-merge\n"
            "aside /srv/w/a/b/.git /srv/w/a/b/.git\naside /srv/w/a/c /srv/w/a/c/objects\n");
}

TEST_F(GitReview, WhatCannotBeListedIsTold) {
  host_->AddDirectory("/srv/w/closed", {.mode = 0, .uid = 1000, .readable = false, .executable = false});
  EXPECT_EQ(Review(), "unlisted /srv/w/closed \n");
  before_.closed = {"/srv/w/closed"};
  EXPECT_EQ(Review(), "");
}

// mv p q; ln -s q p
TEST_F(GitReview, WhatStandsOnTheWayToAProtectedLinkIsTakenAway) {
  AddRepository("/srv/w/a/.git");
  before_.links = {{"/srv/w/p/q/one", "../../hooks"}, {"/srv/w/p/q/two", "x"}, {"/srv/w/r/three", "y"}};
  host_->AddDirectory("/srv/w/elsewhere/q").AddSymlink("/srv/w/elsewhere/q/one", "../../hooks");
  host_->AddSymlink("/srv/w/elsewhere/q/two", "evil").AddSymlink("/srv/w/p", "elsewhere").AddFile("/srv/w/r");
  EXPECT_EQ(Review(),
            "link /srv/w/p \nlink /srv/w/p/q/one ../../hooks\nlink /srv/w/p/q/two x\n"
            "link /srv/w/r \nlink /srv/w/r/three y\n");
}

// The command has taken a right away: what it hides is looked at all the same, and a grant keeps its name.
TEST_F(GitReview, WhatTheCommandHasClosedIsOpened) {
  AddRepository("/srv/w/a/.git");
  before_ = {.roots = {"/srv/w/a", "/srv/w/o"}, .places = {{"/srv/w/a/.git"}}};
  const auto close = [&](const std::string& path) {
    host_->AddDirectory(path, {.mode = 0111, .uid = 1000, .readable = false});
  };
  const auto open = [&](const std::string& path) {
    host_->AddDirectory(path, {.mode = 0511, .uid = 1000});
    return true;
  };
  host_->AddSymlink("/srv/w/a/.git/logs/HEAD", "../config");
  close("/srv/w/a");
  close("/srv/w/a/.git/logs");
  close("/srv/w/o");
  EXPECT_EQ(Review([](const std::string&) { return false; }), "unlisted /srv/w/a \nunlisted /srv/w/o \n");
  before_.closed = {"/srv/w/o"};
  EXPECT_EQ(Review(open),
            "listed /srv/w/a\nlisted /srv/w/a/.git/logs\npassage /srv/w/a/.git/logs/HEAD /srv/w/a/.git\n");
}

// Root lists everything; root's commands cannot.
TEST_F(GitReview, WhatACommandOfRootsHasClosedIsOpened) {
  host_->SetCaller(0, 0);
  AddRepository("/srv/w/a/.git");
  before_.since = 100;
  before_.closed = {"/srv/w/x"};
  host_->AddDirectory("/srv/w", {.mode = 0, .changed = 101})
      .AddDirectory("/srv/w/b", {.mode = 0100, .changed = 100});
  host_->AddDirectory("/srv/w/c", {.mode = 0, .changed = 99})
      .AddDirectory("/srv/w/d", {.mode = 0511, .changed = 101});
  host_->AddDirectory("/srv/w/x", {.mode = 0, .changed = 101});
  const auto open = [](const std::string&) { return true; };
  EXPECT_EQ(Review(open), "listed /srv/w\nlisted /srv/w/b\n");
}

TEST_F(GitReview, WhatNobodyCanEnterIsNotNamed) {
  AddRepository("/srv/w/a/.git");
  host_->AddDirectory("/srv/w/a/.git", {.mode = 0, .uid = 1000, .readable = false, .executable = false});
  EXPECT_EQ(Review(), "unlisted /srv/w/a/.git \n");
}

// git enters them by name: `.git`, or what the index says.
TEST_F(GitReview, WhatCannotBeListedInARepositoryIsTakenAway) {
  AddRepository("/srv/w/a/.git");
  const auto close = [&](const std::string& path) {
    host_->AddDirectory(path, {.mode = 0311, .uid = 1000, .readable = false});
  };
  close("/srv/w/a/d");
  close("/srv/w/a/.git/logs/refs");
  close("/srv/w/b");
  EXPECT_EQ(Review(),
            "unlisted /srv/w/a/.git/logs/refs /srv/w/a/.git/logs/refs\n"
            "unlisted /srv/w/a/d /srv/w/a/d\nunlisted /srv/w/b \n");
}

// Who may write there have done what is new there: git of the repository's owner, for instance.
TEST_F(GitReview, WhatTheCommandCouldNotWriteIsNotItsWork) {
  const std::string git = "/srv/w/a/.git";
  AddRepository(git);
  host_->AddFile(git + "/config", "[core]\n\tpager = x\n", {.changed = 8}).AddDirectory("/srv/w/a/src");
  host_->AddFile(git + "/index", "DIRC").AddSymlink(git + "/refs/x", "/home");
  host_->AddFile(git + "/objects/info/alternates", "/home\n").AddFile(git + "/MERGE_RR", "x");
  host_->AddFile(git + "/rebase-merge/git-rebase-todo", "exec x\n").AddFile(git + "/sub/.git/config", "x");
  host_->AddFile(git + "/remotes/old", "URL: x\n");
  host_->AddDirectory(git + "/closed", {.mode = 0, .readable = false, .executable = false});
  before_.directories = {git};
  before_.others_since = 7;
  const std::string all = Review();
  for (const char* kind : {"index ", "passage ", "list ", "instructions ", "young "})
    EXPECT_THAT(all, HasSubstr(kind));
  before_.skipped = {git};
  EXPECT_EQ(Review(), "");
  // Nor that of a repository around the grant.
  before_.skipped = {};
  before_.roots = {"/srv/w/a/src"};
  EXPECT_EQ(Review(), "");
  before_.roots = {"/srv/w", git + "/remotes"};
  before_.skipped = {git, git + "/remotes"};
  EXPECT_EQ(Review(), "instructions " + git + "/remotes/old\n");
}

// A grant that `repositories` leaves out is searched for nothing, and the links in it are held all the same.
TEST_F(GitReview, LinksOutsideOfTheNamedRepositories) {
  AddRepository("/srv/w/a/.git");
  host_->AddSymlink("/srv/w/home", "/evil");
  before_.roots = {"/srv/w/a/.git"};
  before_.skipped = before_.writable = {"/srv/w"};
  before_.links = {{"/srv/w/home/.gitconfig", "dot/gitconfig"}};
  EXPECT_EQ(Review(), "link /srv/w/home \nlink /srv/w/home/.gitconfig dot/gitconfig\n");
}

}  // namespace
}  // namespace mxc::git_review_test
