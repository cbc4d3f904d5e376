// What a sandbox hands to another one, which outlives it.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <optional>
#include <string>

#include "tests/containment/containment.h"

namespace mxc::test::passing_test {
namespace {

bool Appears(const std::string& path) {
  for (int i = 0; i < 500 && ::access(path.c_str(), F_OK) != 0; ++i) ::usleep(10000);
  return ::access(path.c_str(), F_OK) == 0;
}

class Passing : public ContainmentTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(Passing);

// The socket of another sandbox is one of the host's, and denied unless it is named.
Parts Reaching(Parts policy, const std::string& socket) {
  policy.filesystem = R"("sockets":[")" + socket + R"("])";
  return policy;
}

// The kernel takes the mounts of a namespace that ends off each other, unless they are locked.
TEST_P(Passing, ADirectoryStaysMaskedWhenItsSandboxHasEnded) {
  const std::string rw = workspace.Directory("rw");
  const std::string secret = Secret("rw/secret");
  Secret("rw/den/secret");
  workspace.File("rw/ro/file", "text");
  const Parts policy{.read_only = {rw + "/ro"}, .read_write = {rw}, .denied = {secret, rw + "/den"}};
  const Launch taker = PrepareGuest(policy, {{"take", rw + "/socket"},
                                             {"await", rw + "/go"},
                                             {"read-below", "secret"},
                                             {"read-below", "den/secret"},
                                             {"read-below", "ro/file"},
                                             {"write-below", "ro/file"},
                                             {"write-below", "ro/new"},
                                             {"write-below", "new"},
                                             {"chmod-taken", "777"}});
  std::future<Ended> taken = std::async(std::launch::async, [&] { return Execute(taker); });
  ASSERT_TRUE(Appears(rw + "/socket"));  // both configurations stand in one file, one after the other
  const Ended passed =
      Execute(PrepareGuest(Reaching(policy, rw + "/socket"), {{"pass", rw, rw + "/socket"}}));
  EXPECT_EQ(passed.out, "ok\n") << passed.err;
  workspace.File("rw/go", "");
  const Ended ended = taken.get();
  EXPECT_EQ(ended.out, "ok\nok\nEACCES\nEACCES\ntext\nEROFS\nEROFS\nEROFS\nEROFS\n") << ended.err;
  EXPECT_THAT(passed.err, testing::Not(testing::HasSubstr("can still write")));
}

// The rights that the end of the run takes back are given to nobody after it.
TEST_P(Passing, RightsOfADirectoryAreWhatTheEndOfItsSandboxHasLeft) {
  const std::string tree = workspace.Directory("tree");
  const std::string share = workspace.Directory("share");
  const std::string secret = Secret("tree/secret");
  ASSERT_EQ(::chmod(tree.c_str(), 0700), 0);
  for (const std::string engine : Engines()) {
    SCOPED_TRACE(engine);
    const std::string socket = share + "/" + engine;
    const Launch taker = PrepareGuest({.containment = engine, .read_write = {share}},
                                      {{"take", socket}, {"await", socket + "-go"}, {"chmod-taken", "777"}});
    std::future<Ended> taken = std::async(std::launch::async, [&] { return Execute(taker); });
    ASSERT_TRUE(Appears(socket));
    const Parts sender{.read_write = {tree, share}, .denied = {secret}};
    const Ended passed = Execute(PrepareGuest(Reaching(sender, socket), {{"pass", tree, socket}}));
    EXPECT_EQ(passed.out, "ok\n") << passed.err;
    workspace.File("share/" + engine + "-go", "");
    const Ended tried = taken.get();
    EXPECT_EQ(tried.out, "ok\nok\nEROFS\n") << tried.err;
    struct stat status {};
    ASSERT_EQ(::stat(tree.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0700U);
  }
}

// A file that is open for writing keeps its mount writable, which is told.
TEST_P(Passing, AGrantThatStaysWritableIsTold) {
  const std::string tree = workspace.Directory("tree");
  const std::string other = workspace.Directory("other");
  const std::string share = workspace.Directory("share");
  const std::string file = workspace.File("tree/file", "text");
  const Launch taker =
      PrepareGuest({.read_write = {share}}, {{"take", share + "/socket"}, {"await", share + "/go"}});
  std::future<Ended> taken = std::async(std::launch::async, [&] { return Execute(taker); });
  ASSERT_TRUE(Appears(share + "/socket"));
  const Ended passed = Execute(PrepareGuest(Reaching({.read_write = {tree, other, share}}, share + "/socket"),
                                            {{"pass-writable", file, share + "/socket"}}));
  EXPECT_EQ(passed.out, "ok\n") << passed.err;
  EXPECT_THAT(passed.err, testing::HasSubstr("can still write through them, in '" + tree +
                                             "' (a process outside has files there open for writing)"));
  workspace.File("share/go", "");
  EXPECT_EQ(taken.get().out, "ok\nok\n");
}

// Nobody has it open, but the kernel.
TEST_P(Passing, AFileInFlightBetweenSocketsOfNobodyIsClosed) {
  workspace.Directory("tree");
  const std::string file = workspace.File("tree/file", "text");
  const Ended ended =
      Execute(PrepareGuest({.read_write = {workspace.Path("tree")}}, {{"leave-in-flight", file}}));
  EXPECT_EQ(ended.out, "ok\n");
  EXPECT_EQ(ended.err, "");
}

// The file is in a mount of the host's below the grant.
TEST_P(Passing, AGrantThatStaysWritableBelowIsTold) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
  const std::string tree = workspace.Directory("tree");
  const std::string below = workspace.Directory("tree/below");
  const std::string share = workspace.Directory("share");
  const Launch taker =
      PrepareGuest({.read_write = {share}}, {{"take", share + "/socket"}, {"await", share + "/go"}});
  std::future<Ended> taken = std::async(std::launch::async, [&] { return Execute(taker); });
  ASSERT_TRUE(Appears(share + "/socket"));
  Launch sender =
      PrepareGuest(Reaching({.read_write = {tree, share}}, share + "/socket"),
                   {{"write", below + "/file", "x"}, {"pass-writable", below + "/file", share + "/socket"}});
  sender.before_exec = [&] {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", below.c_str(), "tmpfs", 0, "mode=0777") != 0)
      std::_Exit(124);
  };
  const Ended passed = Execute(sender);
  EXPECT_EQ(passed.out, "ok\nok\n") << passed.err;
  EXPECT_THAT(passed.err, testing::HasSubstr("can still write through them, in '" + tree + "' "));
  workspace.File("share/go", "");
  EXPECT_EQ(taken.get().out, "ok\nok\n");
}

// Another run, or somebody outside, may move what this one was granted below what it reads.
TEST_P(Passing, AGrantThatIsReplacedDuringTheRunIsTold) {
  const std::string above = workspace.Directory("above");
  const std::string tree = workspace.Directory("above/tree");
  const std::string share = workspace.Directory("share");
  const Launch sender = PrepareGuest({.read_only = {above}, .read_write = {tree, share}},
                                     {{"write", share + "/begun", "x"}, {"await", share + "/go"}});
  std::future<Ended> sent = std::async(std::launch::async, [&] { return Execute(sender); });
  ASSERT_TRUE(Appears(share + "/begun"));
  ASSERT_EQ(::rename(tree.c_str(), workspace.Path("moved").c_str()), 0);
  workspace.Directory("above/tree");
  workspace.File("share/go", "");
  const Ended ended = sent.get();
  EXPECT_EQ(ended.out, "ok\nok\n");
  EXPECT_THAT(ended.err, testing::HasSubstr("can still write through them, in '" + tree +
                                            "' (something else has taken the place of a directory"));
}

// What is a mount point of the one is a name like any other to the next.
TEST_P(Passing, ADirectoryIsNoGrantToWhomItIsSentTo) {
  const std::string tree = workspace.Directory("tree");
  const std::string share = workspace.Directory("share");
  const std::string secret = Secret("tree/secret");
  Secret("tree/den/secret");
  const std::string kept = workspace.File("tree/kept", "text");
  const std::vector<Words> tries = {{"rename-below", "secret", "moved"},
                                    {"rename-below", "den", "moved"},
                                    {"rename-below", "kept", "moved"},
                                    {"write-below", "kept"},
                                    {"write-below", "new"},
                                    {"read-below", "secret"}};
  const Parts sender{.read_only = {kept}, .read_write = {tree, share}, .denied = {secret, tree + "/den"}};
  for (const std::string engine : Engines()) {
    for (const bool ended : {false, true}) {
      SCOPED_TRACE(engine + (ended ? ", when the other has ended" : ""));
      const std::string socket = share + "/" + engine + (ended ? "2" : "1");
      std::vector<Words> all = {{"take", socket}, {"await", socket + "-go"}};
      all.insert(all.end(), tries.begin(), tries.end());
      all.push_back({"write", socket + "-done", "x"});
      const Launch taker = PrepareGuest({.containment = engine, .read_write = {share}}, all);
      std::future<Ended> taken = std::async(std::launch::async, [&] { return Execute(taker); });
      ASSERT_TRUE(Appears(socket));
      std::vector<Words> passing = {{"pass", tree, socket}};
      if (!ended)
        passing.insert(passing.end(), {{"write", socket + "-go", "x"}, {"await", socket + "-done"}});
      const Ended passed = Execute(PrepareGuest(Reaching(sender, socket), passing));
      EXPECT_EQ(passed.out, ended ? "ok\n" : "ok\nok\nok\n") << passed.err;
      if (ended) workspace.File(socket.substr(workspace.Root().size() + 1) + "-go", "");
      const Ended tried = taken.get();
      EXPECT_EQ(tried.out, ended ? "ok\nok\nEROFS\nEROFS\nEROFS\nEROFS\nEROFS\nEACCES\nok\n"
                                 : "ok\nok\nEACCES\nEACCES\nEACCES\nEROFS\nEACCES\nEACCES\nok\n")
          << tried.err;
      EXPECT_EQ(Names(tree), (std::vector<std::string>{"den", "kept", "secret"}));
    }
  }
}

// What git obeys and the comparison at the end judges by content.
class PassingGit : public Passing {
 protected:
  void SetUp() override {
    Passing::SetUp();
    for (const char* name : {"objects", "refs"}) workspace.Directory(std::string("all/tree/.git/") + name);
    workspace.File("all/tree/.git/HEAD", "ref: refs/heads/main\n");
    workspace.File("all/tree/.git/config", "[core]\n\trepositoryformatversion = 0\n");
    index = workspace.File("all/tree/.git/index", IndexWithoutEntries());
    todo = workspace.File("all/tree/.git/rebase-merge/git-rebase-todo", "pick 1234567 x\n");
    share = workspace.Directory("all/share");
  }
  static std::string IndexWithoutEntries() {
    using std::string_literals::operator""s;
    return "DIRC\0\0\0\2\0\0\0\0"s + std::string(20, '\0');
  }

  std::string index, todo, share;
};
MXC_FOR_EACH_CALLER_AND_ENGINE(PassingGit);

TEST_P(PassingGit, WhatHasBeenJudgedIsWrittenByNobodyWhoHadItOpen) {
  for (const std::string& file : {index, todo}) {
    SCOPED_TRACE(file);
    const std::optional<std::string> before = Contents(file);
    const std::string socket = share + "/socket" + std::to_string(file.size());
    const std::string go = "all/share/go" + std::to_string(file.size());
    const Launch taker =
        PrepareGuest({.read_write = {share}},
                     {{"take", socket}, {"await", workspace.Path(go)}, {"write-taken", "exec evil\n"}});
    std::future<Ended> taken = std::async(std::launch::async, [&] { return Execute(taker); });
    ASSERT_TRUE(Appears(socket));
    const Ended passed =
        Execute(PrepareGuest(Reaching({.read_write = {workspace.Path("all/tree"), share}}, socket),
                             {{"pass-writable", file, socket}}));
    EXPECT_EQ(passed.out, "ok\n") << passed.err;
    EXPECT_THAT(passed.err, testing::HasSubstr("nobody has open: '" + file + "'"));
    workspace.File(go, "");
    const Ended ended = taken.get();
    EXPECT_EQ(ended.out, "ok\nok\nok\n") << ended.err;
    EXPECT_EQ(Contents(file), before);
  }
}

// In an existing repository the mounts that hold it are in the way of such a name.
TEST_P(PassingGit, WhatHasBeenJudgedIsWrittenUnderNoOtherName) {
  const std::string tree = workspace.Path("all/tree");
  const std::string granted = workspace.Directory("all/tree/granted");
  const std::string other = workspace.File("all/tree/granted/other", IndexWithoutEntries());
  const std::string made = tree + "/new/.git";
  const Ended linked = Execute(PrepareGuest(
      {.read_write = {tree}}, {{"mkdir", tree + "/new"}, {"mkdir", made}, {"link", other, made + "/index"}}));
  EXPECT_EQ(linked.out, "ok\nok\nok\n") << linked.err;
  const Ended written = Execute(PrepareGuest({.read_write = {granted}}, {{"write", other, "evil"}}));
  EXPECT_EQ(written.out, "ok\n") << written.err;
  EXPECT_EQ(Contents(made + "/index"), IndexWithoutEntries());
}

}  // namespace
}  // namespace mxc::test::passing_test
