// What an operator asks of every run, and what a caller may add: approvals, pins, ways to configure a run.
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <future>
#include <nlohmann/json.hpp>

#include "tests/support/built.h"
#include "tests/support/lifecycle_test.h"
#include "tests/support/needs.h"

namespace mxc::test::operators_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Approvals : public LifecycleTest {
 protected:
  void SetUp() override {
    LifecycleTest::SetUp();
    if (const char* missing = MissingNamespaces()) GTEST_SKIP() << missing;
    OwnDirectory();
    work = workspace.Directory("work");
    workspace.File("work/kept", "x");
  }
  [[nodiscard]] Ended Remove(std::vector<std::string> flags) const {
    std::vector<std::string> words = {"--review", "destructive", "--rw", work};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"--", "sh", "-c", "rm -rf " + work + "/*"});
    return Execute(Prepare(words));
  }
  static std::string HashIn(const Ended& ended) {
    const std::size_t at = ended.err.find("--approve sha256:");
    return at == std::string::npos ? "none" : ended.err.substr(at + 10, 71);
  }

  std::string work;  // NOLINT: the tests read it
};
MXC_FOR_EACH_CALLER(Approvals);

TEST_P(Approvals, ARunWaitsForOneAndHasItOnce) {
  const Ended refused = Remove({});
  EXPECT_EQ(refused.status, 255);
  EXPECT_THAT(refused.err, HasSubstr(R"("kind":"approval_required")"));
  EXPECT_TRUE(Exists(work + "/kept"));
  const std::string hash = HashIn(refused);
  const nlohmann::json approval = nlohmann::json::parse(LastLine(refused.err))["error"]["approval"];
  EXPECT_EQ(approval.value("id", ""), hash);
  EXPECT_EQ(approval.value("flag", ""), "--approve");
  EXPECT_THAT(approval.value("command", ""), HasSubstr("rm "));
  EXPECT_TRUE(approval.contains("cwd"));
  EXPECT_EQ(Remove({"--approve", hash}).status, 0);
  EXPECT_FALSE(Exists(work + "/kept"));
  const Ended again = Remove({"--approve", hash});
  EXPECT_EQ(again.status, 255);
  EXPECT_THAT(again.err, HasSubstr("that approval has been used"));
}

// A call that was refused is asked for again without an approval: no hash comes back.
TEST_P(Approvals, AUsedOneIsNeverGoodAgain) {
  const std::string hash = HashIn(Remove({}));
  ASSERT_EQ(Remove({"--approve", hash}).status, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Remove({"--approve", hash}).status, 255) << i;
  const std::string next = HashIn(Remove({}));
  EXPECT_NE(next, hash);
  EXPECT_EQ(Remove({"--approve", hash}).status, 255);
  EXPECT_EQ(Remove({"--approve", next}).status, 0);
}

TEST_P(Approvals, OneOfSeveralAtATimeHasIt) {
  const std::string made = workspace.Directory("made");
  const auto words = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> all = {"--review", "destructive", "--rw", work, made};
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(), {"--", "sh", "-c", "mktemp " + made + "/XXXXXX; rm -rf " + work + "/*"});
    return all;
  };
  const std::string hash = HashIn(Execute(Prepare(words({}))));
  std::vector<std::future<int>> calls;
  for (int i = 0; i < 6; ++i)
    calls.push_back(std::async(std::launch::async, [&] {
      return Execute(Prepare(words({"--approve", hash}))).status;
    }));
  int ran = 0;
  for (std::future<int>& call : calls) ran += call.get() == 0 ? 1 : 0;
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(Names(made).size(), 1U);
}

TEST_P(Approvals, ShowsTheWholeCommandAndIsForItsValues) {
  const auto call = [&](const std::string& value, const std::vector<std::string>& flags) {
    std::vector<std::string> all = {"--review", "destructive", "--rw", work, "--env", "X=" + value};
    all.insert(all.end(), flags.begin(), flags.end());
    all.insert(all.end(),
               {"--", "sh", "-c",
                ": " + std::string(9000, 'x') + "; rm -rf \"$X\"/*; : || git push -f; echo \x1b[2K'last'"});
    return Execute(Prepare(all));
  };
  const Ended refused = call(work + "/none", {});
  EXPECT_THAT(refused.err,
              AllOf(HasSubstr("sh -c "), HasSubstr("last"), Not(HasSubstr("\x1b")), Not(HasSubstr("/none"))));
  EXPECT_EQ(call(work, {"--approve", HashIn(refused)}).status, 255);
  EXPECT_TRUE(Exists(work + "/kept"));
  EXPECT_EQ(call(work + "/none", {"--approve", HashIn(refused)}).status, 0) << "another call takes none away";
}

TEST_P(Approvals, IsForThisCommandAndNoOther) {
  const std::string hash = HashIn(Remove({}));
  const Ended other = Remove({"--approve", hash, "--env", "A=1"});
  EXPECT_EQ(other.status, 255);
  EXPECT_THAT(other.err, HasSubstr("what was approved is something else"));
  const Ended made_up = Remove({"--approve", "sha256:" + std::string(64, '0')});
  EXPECT_EQ(made_up.status, 255);
  EXPECT_TRUE(Exists(work + "/kept"));
  EXPECT_EQ(Execute(Prepare({"--review", "destructive", "--", "/bin/true"})).status, 0);
  EXPECT_EQ(Execute(Prepare({"--approve", hash, "--", "/bin/true"})).status, 2);
}

TEST_P(Approvals, CommandsOfAPersistentSandboxWaitAsWell) {
  const std::string id =
      Started(R"("review":"destructive","filesystem":{"readwritePaths":[)" + Quote(work) + "]}");
  const Ended refused = Exec(id, "rm -rf " + work);
  EXPECT_THAT(refused.err + refused.out, HasSubstr("its approval is sha256:"));
  EXPECT_TRUE(Exists(work + "/kept"));
  EXPECT_EQ(Exec(id, "rm -rf " + work + "/nothing").status, 0);
}

// What was approved is about these directories, and not about what somebody puts at their names.
TEST_P(Approvals, IsForTheseDirectories) {
  const std::string hash = HashIn(Remove({}));
  ASSERT_EQ(::rename(work.c_str(), (work + "-away").c_str()), 0);
  workspace.Directory("work");
  workspace.File("work/precious", "x");
  EXPECT_THAT(Remove({"--approve", hash}).err, HasSubstr("what was approved is something else"));
  EXPECT_TRUE(Exists(work + "/precious"));
  ASSERT_EQ(::rename(work.c_str(), (work + "-other").c_str()), 0);
  ASSERT_EQ(::rename((work + "-away").c_str(), work.c_str()), 0);
  EXPECT_EQ(Remove({"--approve", hash}).status, 0) << "another call takes none away";
  EXPECT_FALSE(Exists(work + "/kept"));
}

TEST_P(Approvals, IsForThisSandboxAndWhatItShows) {
  const std::string more = R"("review":"destructive","filesystem":{"readwritePaths":[)" + Quote(work) + "]}";
  const std::string ids[] = {Started(more), Started(more)};
  const auto remove = [&](const std::string& id, const std::string& approval) {
    Launch launch = ExecOf(id, "rm -rf " + work + "/*");
    if (!approval.empty()) launch.arguments.insert(launch.arguments.end(), {"--approve", approval});
    const Ended ended = Execute(launch);
    return ended.out + ended.err;
  };
  const std::string hash = HashIn({.err = remove(ids[0], "")});
  EXPECT_THAT(remove(ids[1], hash), HasSubstr("what was approved is something else"));
  ASSERT_EQ(::rename(work.c_str(), (work + "-away").c_str()), 0);
  workspace.Directory("work");
  EXPECT_THAT(remove(ids[0], hash), HasSubstr("something else stands at"));
  EXPECT_TRUE(Exists(work + "-away/kept"));
  ASSERT_EQ(::rmdir(work.c_str()), 0);
  ASSERT_EQ(::rename((work + "-away").c_str(), work.c_str()), 0);
  EXPECT_EQ(remove(ids[0], hash), "");
  EXPECT_FALSE(Exists(work + "/kept"));
}

class Pins : public LauncherTest {
 protected:
  [[nodiscard]] std::string HashOf(const std::string& helper) const {
    const Ended probed = Execute(Prepare({"--probe=json"}));
    return nlohmann::json::parse(probed.out)["helpers"][helper].value("sha256", "");
  }
  [[nodiscard]] static std::string Pin(const std::string& helper, const std::string& hash) {
    return R"("helpers":{")" + helper + R"(":{"sha256":")" + hash + R"("}})";
  }
};
INSTANTIATE_TEST_SUITE_P(As, Pins,
                         testing::Values(Setting{Caller::kRoot, "bubblewrap"},
                                         Setting{Caller::kUser, "bubblewrap"}, Setting{Caller::kRoot, "lxc"}),
                         CallerAndContainmentOf);

TEST_P(Pins, TheFileThatIsPinnedRunsAndNoOther) {
  const std::string helper = GetParam().containment == "lxc" ? "lxc-start" : "bwrap";
  const std::string hash = HashOf(helper);
  ASSERT_EQ(hash.size(), 64U);
  const Ended ran = RunConfig({.command = "echo in", .more = Pin(helper, hash)});
  EXPECT_EQ(ran.out, "in\n") << ran.err;
  const std::string other = std::string(63, '0') + "1";
  const Ended refused = RunConfig({.command = "echo in", .more = Pin(helper, other)});
  EXPECT_EQ(refused.status, 255);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(EnvelopeMessage(refused), AllOf(HasSubstr(hash), HasSubstr(other)));
  EXPECT_THAT(refused.err, HasSubstr(R"("pointer":"/helpers/)" + helper));
  const Ended unknown = RunConfig({.more = Pin("qemu", hash)});
  EXPECT_EQ(unknown.status, 1);
}

class Modes : public LauncherTest {};
MXC_FOR_EACH_CALLER(Modes);

TEST_P(Modes, APolicyHasNoCommand) {
  const std::string policy = workspace.File(
      "policy.json",
      R"({"version":"0.6.0-alpha","filesystem":{"readonlyPaths":[)" + Quote(workspace.Root()) +
          R"(],"clearPolicyOnExit":true},"network":{"allowOutbound":false},"ui":{"allowWindows":false},"timeoutMs":5000})");
  const Ended ran = Execute(Prepare({"--policy", policy, "--", "echo", "in"}));
  EXPECT_EQ(ran.out, "in\n") << ran.err;
  const Ended shown = Execute(Prepare({"--explain", "--policy", policy, "--", "echo", "in"}));
  EXPECT_THAT(shown.out, AllOf(HasSubstr("of '" + policy + "', which has no command"), HasSubstr("5000 ms"),
                               HasSubstr("read-only '" + workspace.Root() + "'")));
  const std::string whole =
      workspace.File("whole.json", R"({"version":"1.0.0","process":{"commandLine":"true"}})");
  EXPECT_EQ(Execute(Prepare({"--policy", whole, "--", "true"})).status, 2);
  EXPECT_EQ(Execute(Prepare({"--policy", policy})).status, 2);
}

TEST_P(Modes, ABaseIsGenerated) {
  Launch build = Prepare({"--base", "build", "--", "sh", "-c", "echo > made; echo $?"});
  build.cwd = workspace.Directory("work");
  EXPECT_EQ(Execute(build).out, "0\n");
  EXPECT_TRUE(Exists(workspace.Path("work/made")));
  for (const std::string base : {"restrictive", "build", "agent"}) {
    Launch explained = Prepare({"--explain", "--base", base, "--", "true"});
    explained.cwd = workspace.Path("work");
    const Ended shown = Execute(explained);
    EXPECT_THAT(shown.out, HasSubstr("base " + base + ", generated")) << shown.err;
    EXPECT_EQ(shown.out.find("read-write '" + workspace.Path("work")) == std::string::npos,
              base == "restrictive");
  }
  EXPECT_EQ(Execute(Prepare({"--base", "open", "--", "true"})).status, 2);
}

// A /dev in which `log` leads to a socket, or nowhere.
void PutSystemLog(const std::string& socket) {
  constexpr std::array<std::pair<const char*, unsigned>, 5> kNodes = {
      {{"/dev/null", 3}, {"/dev/zero", 5}, {"/dev/full", 7}, {"/dev/random", 8}, {"/dev/urandom", 9}}};
  bool made = ::unshare(CLONE_NEWNS) == 0 &&
              ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
              ::mount("tmpfs", "/dev", "tmpfs", 0, "mode=0755") == 0;
  ::umask(0);
  for (const auto& [node, minor] : kNodes)
    made = made && ::mknod(node, S_IFCHR | 0666, ::gnu_dev_makedev(1, minor)) == 0;
  made = made && ::mknod("/dev/tty", S_IFCHR | 0666, ::gnu_dev_makedev(5, 0)) == 0;
  ::umask(022);
  if (!made || (!socket.empty() && ::symlink(socket.c_str(), "/dev/log") != 0)) ::_exit(99);
}

class Witness : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    if (::geteuid() != 0) GTEST_SKIP() << "a /dev of its own takes root";
  }
  [[nodiscard]] Launch Audited(const std::string& log, const std::string& socket) const {
    Launch launch = PrepareConfig({.more = R"("audit":{"syslog":true,"path":)" + Quote(log) + "}"});
    launch.before_exec = [socket] { PutSystemLog(socket); };
    return launch;
  }
};
MXC_FOR_EACH_CALLER(Witness);

TEST_P(Witness, TheSystemsLogHasTheHashOfEachLine) {
  const std::string path = workspace.Path("log.sock");
  const UniqueFd socket{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  struct sockaddr_un address {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  ASSERT_EQ(::bind(socket.Get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0666), 0);
  const std::string log = workspace.Directory("logs", 0700) + "/audit.jsonl";
  const Ended ended = Execute(Audited(log, path));
  EXPECT_EQ(ended.status, 0) << ended.err;
  std::vector<std::string> told;
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; (size = ::recv(socket.Get(), buffer.data(), buffer.size(), 0)) > 0;)
    told.emplace_back(buffer.data(), static_cast<std::size_t>(size));
  ASSERT_EQ(told.size(), 2U);
  EXPECT_THAT(told[0], AllOf(testing::StartsWith("<86>mxc-exec["), HasSubstr("\" begin run=")));
  const std::string head = Contents(log + ".head").value_or("none");
  EXPECT_THAT(told[1], AllOf(HasSubstr("\" end run="), HasSubstr("line=" + head.substr(0, 64))));
}

TEST_P(Witness, NothingRunsUnseen) {
  const Ended ended = Execute(Audited(workspace.Directory("logs", 0700) + "/audit.jsonl", ""));
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(ended.err, HasSubstr("the system's log"));
  const Ended verified = Execute(Prepare({"--audit-verify", workspace.Path("logs/audit.jsonl")}));
  EXPECT_THAT(verified.out, HasSubstr(R"("openRuns":[])")) << "what did not begin does not go on";
}

// What the operator's recipe signs, and refuses to sign.
class SignedLog : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    if (::access("/usr/bin/openssl", X_OK) != 0) GTEST_SKIP() << "openssl is not installed";
    log = workspace.Directory("logs", 0700) + "/audit.jsonl";
    signatures = workspace.Path("signed");
    workspace.CopyOf(ProgramUnderTest(), "bin/mxc-exec");
    ASSERT_EQ(
        Shell("openssl genpkey -algorithm ed25519 -out key && openssl pkey -in key -pubout -out pub").status,
        0);
  }
  [[nodiscard]] Ended Shell(const std::string& line) const {
    return Execute({.program = "/bin/sh",
                    .arguments = {"-c", line},
                    .environment = {"PATH=" + workspace.Path("bin") + ":/usr/bin:/bin", "AUDIT_KEY=key"},
                    .cwd = workspace.Root()});
  }
  [[nodiscard]] Ended Sign() const {
    const std::string script = SourceDirectory() + "/docs/examples/sign-audit.sh";
    return Shell("sh '" + script + "' " + signatures + " " + log);
  }
  void RunOnce() const {
    const Ended ended = RunConfig({.more = R"("audit":{"path":)" + Quote(log) + "}"});
    ASSERT_EQ(ended.status, 0) << ended.err;
  }

  std::string log;         // NOLINT: the tests read it
  std::string signatures;  // NOLINT: the same
};
INSTANTIATE_TEST_SUITE_P(As, SignedLog, testing::Values(Setting{Caller::kRoot, "namespaces"}),
                         CallerAndContainmentOf);

TEST_P(SignedLog, IsSignedAsLongAsItIsWhole) {
  RunOnce();
  ASSERT_EQ(Sign().status, 0) << Sign().err;
  RunOnce();
  ASSERT_EQ(Sign().status, 0);
  EXPECT_EQ(Names(signatures).size(), 3U) << "two hashes, and the last text that was signed";
  EXPECT_EQ(Shell("head=$(ls -t signed | head -n 1); openssl pkeyutl -verify -rawin -pubin -inkey pub -in "
                  "signed/.head -sigfile signed/$head && mxc-exec --audit-verify " +
                  log + " --audit-anchor $head")
                .status,
            0);
  // Written anew by the caller.
  ASSERT_EQ(Shell("rm " + log + " " + log + ".head").status, 0);
  RunOnce();
  EXPECT_NE(Sign().status, 0);
  EXPECT_EQ(Names(signatures).size(), 3U);
  ASSERT_EQ(Shell("echo garbage >> " + log).status, 0);
  EXPECT_NE(Sign().status, 0);
  EXPECT_EQ(Names(signatures).size(), 3U);
}

class WorkspacePath : public LifecycleTest {
 protected:
  void SetUp() override {
    LifecycleTest::SetUp();
    work = workspace.Directory("work");
    workspace.File("work/secret", "SECRET");
    workspace.File("work/kept", "x");
    workspace.Directory("work/.git/hooks");
    workspace.Directory("work/.git/objects");
    workspace.Directory("work/.git/refs");
    workspace.File("work/.git/config", "[core]\n");
    workspace.File("work/.git/HEAD", "ref: refs/heads/main\n");
    workspace.File("work/sub/read", "r");
  }
  [[nodiscard]] Launch In(const std::string& command, std::vector<std::string> flags = {}) const {
    std::vector<std::string> words = {"--containment", GetParam().containment, "--workspace", work};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"--", "sh", "-c", command});
    return Prepare(words);
  }

  std::string work;  // NOLINT: the tests read it
};
MXC_FOR_EACH_CALLER_AND_ENGINE(WorkspacePath);

TEST_P(WorkspacePath, StandsAtItsPathAndNoOther) {
  const Ended ended = Execute(In("pwd; echo > made; cat kept; ls -d " + work + " 2>&1 || true"));
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, AllOf(testing::StartsWith("/workspace\nx"), HasSubstr("No such file")));
  EXPECT_TRUE(Exists(work + "/made"));
  Launch elsewhere = Prepare({"--containment", GetParam().containment, "--workspace", work + ":/srv/app",
                              "--cwd", "/srv/app/sub", "--", "sh", "-c", "pwd; cat read"});
  EXPECT_EQ(Execute(elsewhere).out, "/srv/app/sub\nr");
}

TEST_P(WorkspacePath, RulesHoldInEitherSpelling) {
  for (const std::string& path : std::vector<std::string>{"/workspace/secret", work + "/secret"}) {
    const Ended ended =
        Execute(In("cat secret; echo $?; echo > sub/new; echo > .git/hooks/post-commit; "
                   "echo x >> .git/config; mv secret s; mv .git g; ls -A .git/hooks",
                   {"--deny", path, "--ro", "/workspace/sub"}));
    EXPECT_THAT(ended.out, Not(HasSubstr("SECRET"))) << path;
    EXPECT_FALSE(Exists(work + "/sub/new"));
    EXPECT_FALSE(Exists(work + "/.git/hooks/post-commit"));
    EXPECT_EQ(Contents(work + "/.git/config").value_or(""), "[core]\n");
    EXPECT_EQ(Contents(work + "/secret").value_or(""), "SECRET");
  }
  // A name that is missing is held on the host, and free again afterwards.
  const Ended held = Execute(In("echo x > env; echo $?", {"--deny", "/workspace/env"}));
  EXPECT_THAT(held.out, Not(HasSubstr("0\n")));
  EXPECT_FALSE(Exists(work + "/env"));
}

TEST_P(WorkspacePath, IsShownAndHasNoLinkOnTheWay) {
  const std::string link = workspace.Link("link", work);
  EXPECT_EQ(
      Execute(Prepare({"--containment", GetParam().containment, "--workspace", link, "--", "true"})).status,
      255)
      << "whoever turns the link chooses what is granted";
  const Ended shown = Execute(In("true", {"--explain"}));
  EXPECT_THAT(shown.out, HasSubstr("read-write '" + work + "' at '/workspace'")) << shown.err;
}

TEST_P(WorkspacePath, RefusesTwoNames) {
  using Flags = std::vector<std::string>;
  for (const Flags& flags : {Flags{work, "--rw", workspace.Root()},
                             {work, "--ro", "/"},
                             {work + ":/usr/x"},
                             {work + ":/tmp"},
                             {work + ":/proc/x"},
                             {work + ":" + work + "/in"},
                             {workspace.Path("missing")},
                             {work + ":/bin"}}) {
    Flags words = {"--containment", GetParam().containment, "--workspace"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"--", "true"});
    const Ended ended = Execute(Prepare(words));
    EXPECT_EQ(ended.status, 255) << testing::PrintToString(flags) << ended.err;
  }
}

TEST_P(WorkspacePath, APersistentSandboxHasItToo) {
  OwnDirectory();
  const std::string id =
      Started(R"("filesystem":{"deniedPaths":["/workspace/secret"]},"process":{"workspace":{"host":)" +
              Quote(work) + "}}");
  const Ended ended = Exec(id, "pwd; cat secret; cat kept");
  EXPECT_THAT(ended.out, AllOf(testing::StartsWith("/workspace\n"), HasSubstr("x"), Not(HasSubstr("SECRET"))))
      << ended.err;
}

TEST(WorkspaceOnLandlock, IsRefusedWithTheReason) {
  const Ended ended =
      Execute({.program = ProgramUnderTest(),
               .arguments = {"--containment", "landlock", "--workspace", "/var/tmp", "--", "/bin/true"}});
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(ended.err, HasSubstr("cannot show a directory under another path"));
}

}  // namespace
}  // namespace mxc::test::operators_test
