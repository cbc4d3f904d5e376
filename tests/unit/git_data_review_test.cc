// What a run has left among git's own data.
#include <gtest/gtest.h>

#include <algorithm>

#include "mxc/plan.h"
#include "tests/unit/git_review_text.h"

namespace mxc::git_data_review_test {
namespace {

using GitDataReview = GitReviewed;

TEST_F(GitDataReview, RepositoriesInDataOfGit) {
  AddRepository("/srv/w/a/.git");
  for (const char* at : {"objects", "objects/12/x", "refs/heads/x", "logs/x", "lfs"})
    AddRepository(std::string("/srv/w/a/.git/") + at);
  host_->AddFile("/srv/w/a/.git/objects/13/.git", "gitdir: x");
  host_->AddFile("/srv/w/a/.git/refs/heads/y/objects").AddFile("/srv/w/a/.git/refs/heads/y/refs");
  EXPECT_EQ(Review(),
            "aside /srv/w/a/.git/lfs /srv/w/a/.git/lfs/HEAD\n"
            "aside /srv/w/a/.git/logs/x /srv/w/a/.git/logs/x/HEAD\n"
            "aside /srv/w/a/.git/objects /srv/w/a/.git/objects/HEAD\n"
            "aside /srv/w/a/.git/objects/12/x /srv/w/a/.git/objects/12/x/HEAD\n"
            "aside /srv/w/a/.git/objects/13/.git /srv/w/a/.git/objects/13/.git\n"
            "aside /srv/w/a/.git/refs/heads/x /srv/w/a/.git/refs/heads/x/HEAD\n");
}

TEST_F(GitDataReview, DataThatIsWhatItWasIsNotListed) {
  const std::string data = "/srv/w/a/.git/objects/";
  AddRepository("/srv/w/a/.git");
  constexpr std::uint64_t kSecond = 1'000'000'000;
  before_.since = 1000 * kSecond;
  host_->AddDirectory(data + "12", {.links = 2, .changed = 100 * kSecond});
  host_->AddDirectory(data + "13",
                      {.links = 2, .changed = 999 * kSecond});  // somebody may have set the clock
  host_->AddDirectory(data + "14", {.links = 3, .changed = 100 * kSecond});
  host_->AddDirectory(data + "15", {.links = 2});
  host_->AddDirectory("/srv/w/a/.git/objects", {.changed = 100 * kSecond});
  EXPECT_EQ(Review(), "");
  const auto listed = [&](const std::string& name) {
    const std::vector<std::string>& questions = host_->Questions();
    return std::find(questions.begin(), questions.end(), "entries " + data + name) != questions.end();
  };
  EXPECT_FALSE(listed("12"));
  EXPECT_TRUE(listed("13") && listed("14") && listed("15"));
}

// git writes and deletes by these names, whatever stands there.
TEST_F(GitDataReview, LinksAmongGitsDataAreTakenAway) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/.git/modules/m");
  AddRepository("/srv/w/new/.git");
  const std::string git = "/srv/w/a/.git";
  host_->AddFile(git + "/worktrees/t/commondir", "../..\n");
  before_.places.push_back({git + "/modules/m"});
  before_.places.push_back({git + "/worktrees/t"});
  host_->AddSymlink(git + "/COMMIT_EDITMSG", "config").AddSymlink(git + "/logs/HEAD", "/home/ana/.bashrc");
  host_->AddSymlink(git + "/rr-cache", "/home/ana").AddSymlink(git + "/refs/heads/x", "../../config");
  host_->AddSymlink(git + "/objects/pack", "/home").AddSymlink(git + "/objects/12", "/home");
  host_->AddSymlink(git + "/modules/m/FETCH_HEAD", "config").AddSymlink(git + "/worktrees/u", "/home/ana");
  host_->AddSymlink(git + "/worktrees/t/ORIG_HEAD", "../../config").AddNode(git + "/gc.log", FileType::kFifo);
  host_->AddSymlink("/srv/w/new/.git/MERGE_MSG", "../x");
  host_->AddSymlink(git + "/objects/34/link", "x");  // an object of another repository
  // What git neither reads, writes nor deletes through.
  host_->AddSymlink(git + "/hooks/x", "y");
  host_->AddNode(git + "/fsmonitor--daemon.ipc", FileType::kSocket);
  EXPECT_EQ(Review(), "passage " + git + "/COMMIT_EDITMSG " + git + "\npassage " + git + "/gc.log " + git +
                          "\npassage " + git + "/logs/HEAD " + git + "\npassage " + git +
                          "/modules/m/FETCH_HEAD " + git + "\npassage " + git + "/objects/12 " + git +
                          "\npassage " + git + "/objects/34/link " + git + "\npassage " + git +
                          "/objects/pack " + git + "\npassage " + git + "/refs/heads/x " + git +
                          "\npassage " + git + "/rr-cache " + git + "\npassage " + git +
                          "/worktrees/t/ORIG_HEAD " + git + "\npassage " + git + "/worktrees/u " + git +
                          "\nnew /srv/w/new/.git\npassage /srv/w/new/.git/MERGE_MSG /srv/w/new/.git\n");
}

// git-lfs and git-annex copy what such a link leads to into work trees.
TEST_F(GitDataReview, LinksAmongLargeObjectsAreTakenAway) {
  AddRepository("/srv/w/a/.git");
  AddRepository("/srv/w/a/.git/modules/m");
  const std::string git = "/srv/w/a/.git";
  before_.places.push_back({git + "/modules/m"});
  before_.since = 200'000'000'000;
  const std::string kinds[] = {"/annex/objects/1a/2b/KEY/KEY", "/lfs/objects/ab/cd/abcd",
                               "/modules/m/lfs/objects/ab/cd/abcd"};
  std::string expected;
  for (const std::string& at : kinds) {
    host_->AddSymlink(git + at, "/home/ana/key");
    expected += "passage " + git + at + " " + git + "\n";
  }
  EXPECT_EQ(Review(), expected);
}

// The directory of a link is as it was, one above it has been put there.
TEST_F(GitDataReview, LinksInDirectoriesThatWereMovedAreTakenAway) {
  AddRepository("/srv/w/a/.git");
  const std::string objects = "/srv/w/a/.git/lfs/objects";
  constexpr std::uint64_t kRun = 200'000'000'000;
  before_.since = kRun;
  const auto set = [&](std::uint64_t lfs, std::uint64_t ab, std::uint64_t cd) {
    host_->AddDirectory("/srv/w/a/.git/lfs", {.changed = lfs}).AddDirectory(objects, {.changed = 1});
    host_->AddDirectory(objects + "/ab", {.changed = ab})
        .AddDirectory(objects + "/ab/cd", {.links = 2, .changed = cd});
    host_->AddSymlink(objects + "/ab/cd/abcd", "/home/ana/key");
  };
  const std::string taken = "passage " + objects + "/ab/cd/abcd /srv/w/a/.git\n";
  set(1, 1, 1);
  EXPECT_EQ(Review(), "");
  set(1, 1, kRun + 1);
  EXPECT_EQ(Review(), taken);
  set(1, kRun + 1, 1);
  EXPECT_EQ(Review(), taken);
  set(kRun + 1, 1, 1);
  EXPECT_EQ(Review(), taken);
}

// .repo/projects, git-new-workdir
TEST_F(GitDataReview, LinksOfBeforeStayAsLongAsTheyLeadThere) {
  AddRepository("/srv/w/a/.git");
  const std::string git = "/srv/w/a/.git";
  host_->AddSymlink(git + "/logs", "/srv/x/logs", {.changed = 5}).AddSymlink("/srv/w/way", "/srv/x");
  host_->AddSymlink(git + "/rr-cache", "../../way", {.changed = 5});
  before_.passages = {{git + "/logs", "link /srv/x/logs\n/srv/x/logs", 5},
                      {git + "/rr-cache", "link ../../way\n/srv/x", 5}};
  EXPECT_EQ(Review(), "");
  host_->Remove("/srv/w/way").AddSymlink("/srv/w/way", "/srv/y");
  EXPECT_EQ(Review(), "passage " + git + "/rr-cache " + git + "\n");
  before_.passages[0].stamp = 4;  // put back
  EXPECT_EQ(Review(), "passage " + git + "/logs " + git + "\npassage " + git + "/rr-cache " + git + "\n");
}

TEST_F(GitDataReview, FurtherNamesOfWhatGitWritesInPlace) {
  AddRepository("/srv/w/a/.git");
  const std::string git = "/srv/w/a/.git";
  for (const char* name : {"/COMMIT_EDITMSG", "/logs/refs/heads/x", "/HEAD", "/index", "/refs/heads/x",
                           "/objects/12/3", "/annex/objects/x"})
    host_->AddFile(git + name, "", {.links = 2});
  EXPECT_EQ(Review(), "passage " + git + "/COMMIT_EDITMSG " + git + "\npassage " + git +
                          "/logs/refs/heads/x " + git + "\n");
}

// A directory with a `.git` in it is a work tree, the links in which are its own.
TEST_F(GitDataReview, WorkTreesInABareRepositoryAreNoDataOfGit) {
  AddRepository("/srv/w/b");
  before_.places = {{"/srv/w/b"}};
  host_->AddSymlink("/srv/w/b/main/node_modules/.bin/x", "../y");
  host_->AddFile("/srv/w/b/main/.git", "gitdir: ../worktrees/main\n");
  host_->AddSymlink("/srv/w/b/FETCH_HEAD", "config").AddSymlink("/srv/w/b/worktrees/x", "/home");
  host_->AddSymlink("/srv/w/b/rebased-patches", "/home/ana/.profile");  // `git rebase --apply` writes there
  EXPECT_EQ(Review(),
            "passage /srv/w/b/FETCH_HEAD /srv/w/b\naside /srv/w/b/main/.git /srv/w/b/main/.git\n"
            "passage /srv/w/b/rebased-patches /srv/w/b\npassage /srv/w/b/worktrees/x /srv/w/b\n");
}

// Whoever names branches and work trees makes directories of any shape.
TEST_F(GitDataReview, DataThatLooksLikeARepositoryIsData) {
  AddRepository("/srv/w/b");
  AddRepository("/srv/w/a/.git");
  before_.places = {{"/srv/w/a/.git"}, {"/srv/w/b"}, {"/srv/w/b/logs/refs/heads"}, {"/srv/w/b/worktrees"}};
  for (const char* at : {"/srv/w/b/worktrees", "/srv/w/b/logs/refs/heads"}) {
    host_->AddDirectory(std::string(at) + "/objects").AddDirectory(std::string(at) + "/refs");
    host_->AddSymlink(std::string(at) + "/hooks", "/home").AddSymlink(std::string(at) + "/x", "/home");
  }
  host_->AddSymlink("/srv/w/b/logs/refs/heads/objects/12/x", "/home");
  host_->AddSymlink("/srv/w/a/.git/logs/refs/heads/objects/12/x", "/home");
  const std::string text = Review();
  for (const char* line :
       {"/srv/w/b/worktrees/hooks /srv/w/b\n", "/srv/w/b/worktrees/x /srv/w/b\n",
        "/srv/w/b/logs/refs/heads/hooks /srv/w/b\n", "/srv/w/b/logs/refs/heads/x /srv/w/b\n",
        "/srv/w/b/logs/refs/heads/objects/12/x /srv/w/b\n",
        "/srv/w/a/.git/logs/refs/heads/objects/12/x /srv/w/a/.git\n"})
    EXPECT_NE(text.find("passage " + std::string(line)), std::string::npos) << line << text;
}

// Beside its old name `git worktree prune` would find it again.
TEST_F(GitDataReview, LinksThatMakeARepositoryLeaveTheirDirectory) {
  AddRepository("/srv/w/b");
  before_.places = {{"/srv/w/b"}};
  host_->AddSymlink("/srv/w/b/worktrees/objects", "/home").AddSymlink("/srv/w/b/worktrees/refs", "/home");
  host_->AddFile("/srv/w/b/worktrees/config", "[core]\n\tpager = x\n");
  EXPECT_EQ(Review(),
            "aside /srv/w/b/worktrees /srv/w/b/worktrees/objects /srv/w/b\n"
            "passage /srv/w/b/worktrees/refs /srv/w/b\n");
}

TEST_F(GitDataReview, IndexesThatCannotBeTrusted) {
  const std::string git = "/srv/w/a/.git";
  AddRepository(git);
  const std::string empty = std::string("DIRC\0\0\0\2\0\0\0\0", 12);
  host_->AddFile(git + "/index", empty + std::string(20, 'h')).AddFile(git + "/sharedindex.1", "");
  EXPECT_EQ(Review(), "");
  host_->AddFile(git + "/index", empty + "EVIL" + std::string(20, 'h'));
  host_->AddFile(git + "/sharedindex.1", "DIRC").AddFile(git + "/worktrees/t/index", "DIRC");
  host_->AddFile(git + "/worktrees/t/commondir", "../..\n");
  before_.places.push_back({git + "/worktrees/t"});
  EXPECT_EQ(Review(), "index " + git + "/index " + git + "\nindex " + git + "/sharedindex.1 " + git +
                          "\nindex " + git + "/worktrees/t/index " + git + "\n");
  // By the configuration of the repository.
  host_->Remove(git + "/worktrees/t/index").Remove(git + "/sharedindex.1");
  host_->AddFile(git + "/index", empty + std::string(32, 'h'));
  EXPECT_EQ(Review(), "index " + git + "/index " + git + "\n");
  host_->AddFile(git + "/config", "[extensions]\n\tobjectFormat = sha256\n");
  EXPECT_EQ(Review(), "");
  host_->AddFile(git + "/config", "", {.readable = false});
  EXPECT_EQ(Review(), "index " + git + "/index " + git + "\n");
}

// Of pushes and updates of refs, whose hooks a run may be.
TEST_F(GitDataReview, WhatIsNotYetWhereItBelongsIsJudgedLikeWhatIs) {
  const std::string git = "/srv/w/a/.git";
  AddRepository(git);
  host_->AddFile(git + "/objects/tmp_objdir-incoming-x/info/alternates", "/home/ana/objects\n");
  host_->AddFile(git + "/ORIG_HEAD.lock", "ref: commondir\n");
  host_->AddFile(git + "/FETCH_HEAD.lock", "ref: refs/heads/x\n");
  EXPECT_EQ(Review(), "list " + git + "/ORIG_HEAD.lock " + git + "\nlist " + git +
                          "/objects/tmp_objdir-incoming-x/info/alternates " + git + "\n");
}

// Of `git commit`, whose hook a run may be; of a caller with GIT_INDEX_FILE.
TEST_F(GitDataReview, WhatBecomesAnIndexIsJudgedLikeOne) {
  const std::string git = "/srv/w/a/.git";
  AddRepository(git);
  host_->AddFile(git + "/index.lock", "DIRC").AddFile(git + "/next-index-7.lock", "DIRC");
  host_->AddFile("/srv/w/own", "DIRC");
  EXPECT_EQ(Review(), "") << "left by a git that was killed";
  before_.indexes = {{git + "/index.lock", "file 1", 1}, {git + "/next-index-7.lock", "file 2", 1}};
  EXPECT_EQ(Review(),
            "index " + git + "/index.lock " + git + "\nindex " + git + "/next-index-7.lock " + git + "\n");
  before_.indexes.clear();
  host_->SetWorkingDirectory("/srv/w/a/src").SetEnvironment("GIT_INDEX_FILE", "../../own");
  EXPECT_EQ(Review(), "index /srv/w/own " + git + "\n");
  const std::vector<std::string>& asked = host_->Questions();
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "look /srv/w/a/src/.git"), 1) << "whose index it is";
  host_->SetEnvironment("GIT_INDEX_FILE", "../own");  // from the top of the work tree
  EXPECT_EQ(Review(), "index /srv/w/own " + git + "\n");
  host_->SetEnvironment("GIT_INDEX_FILE", git + "/index.lock");
  EXPECT_EQ(Review(), "index " + git + "/index.lock " + git + "\n");
  host_->AddFile(git + "/index.lock", std::string("DIRC\0\0\0\2\0\0\0\0", 12) + std::string(20, 'h'));
  EXPECT_EQ(Review(), "");
}

TEST_F(GitDataReview, AnIndexOfBeforeIsLeftAlone) {
  AddRepository("/srv/w/a/.git");
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const std::string index = "/srv/w/a/.git/index";
  host_->AddFile(index, "DIRC", {.changed = 10 * kSecond});
  const std::uint64_t inode = host_->LookAt(index).status->object.inode;
  before_.indexes = {{index, "file " + std::to_string(inode), 10 * kSecond}};
  before_.since = 20 * kSecond;
  EXPECT_EQ(Review(), "");
  before_.since = 11 * kSecond;
  EXPECT_EQ(Review(), "index " + index + " /srv/w/a/.git\n");
}

}  // namespace
}  // namespace mxc::git_data_review_test
