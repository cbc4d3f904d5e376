// A ceiling on this machine, in a mount namespace of each call: other tests meet none.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/lifecycle_test.h"
#include "tests/support/needs.h"

namespace mxc::test::ceiling_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPlace = "/etc/mxc-exec";

// In the child, before it is another user: the file, and what it says.
void PutCeiling(const std::string& text, mode_t mode) {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tmpfs", kPlace, "tmpfs", 0, "mode=0755") != 0)
    ::_exit(99);
  const int file = ::open("/etc/mxc-exec/ceiling.json", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!written || ::fchmod(file, mode) != 0) ::_exit(99);
  ::close(file);
}

class CeilingHere : public LifecycleTest {
 protected:
  void SetUp() override {
    LifecycleTest::SetUp();
    if (const char* missing = MissingNamespaces()) GTEST_SKIP() << missing;
    if (::geteuid() != 0) GTEST_SKIP() << "a ceiling is root's";
    ::mkdir(kPlace, 0755);  // stays, empty
    OwnDirectory();
  }
  [[nodiscard]] static Launch Under(const std::string& ceiling, Launch launch, mode_t mode = 0644) {
    launch.before_exec = [ceiling, mode] { PutCeiling(ceiling, mode); };
    return launch;
  }
  [[nodiscard]] std::string WritableBelow(const std::string& path) const {
    return R"({"filesystem":{"readwritePaths":[)" + Quote(path) + "]}}";
  }
};
MXC_FOR_EACH_CALLER(CeilingHere);

TEST_P(CeilingHere, CutsAndTells) {
  const std::string work = workspace.Directory("work");
  workspace.File("secret", "s");
  const std::string result = workspace.Path("result");
  const Ended ended = Execute(
      Under(WritableBelow(work), Prepare({"--rw", workspace.Root(), "--result", result, "--", "sh", "-c",
                                          "echo > " + work + "/made; cat " + workspace.Path("secret")})));
  EXPECT_THAT(ended.err, AllOf(HasSubstr("the ceiling of this machine cuts the policy"),
                               HasSubstr("No such file or directory")));
  EXPECT_TRUE(Exists(work + "/made"));
  EXPECT_THAT(Contents(result).value_or(""),
              AllOf(HasSubstr(R"("clamped":[{"pointer":"/filesystem/readwritePaths/0")"),
                    HasSubstr("within /etc/mxc-exec/ceiling.json, SHA-256 ")));
  const Ended shown =
      Execute(Under(WritableBelow(work), Prepare({"--explain", "--rw", workspace.Root(), "--", "true"})));
  EXPECT_THAT(shown.out, AllOf(HasSubstr("clamped: "), HasSubstr("read-write '" + work + "'"),
                               Not(HasSubstr("read-write '" + workspace.Root() + "'"))));
}

// mxc-exec writes these itself, with words of the caller's: no sandbox bounds them.
TEST_P(CeilingHere, DeniesTheRecordsOfTheCallerToo) {
  const std::string work = workspace.Directory("work");
  const std::string profile = workspace.File("profile", "mine");
  const std::string ceiling =
      R"({"filesystem":{"readwritePaths":[)" + Quote(work) + R"(],"deniedPaths":[)" + Quote(profile) + "]}}";
  for (const std::string flag : {"--log-file", "--result"}) {
    const Ended ended = Execute(Under(ceiling, Prepare({"--rw", work, flag, profile, "--", "echo", "ran"})));
    EXPECT_EQ(ended.status, 255) << flag;
    EXPECT_THAT(ended.err, AllOf(HasSubstr(flag + " '" + profile + "' is denied by the ceiling"),
                                 HasSubstr("/ceiling/filesystem/deniedPaths/0")));
    EXPECT_EQ(ended.out, "") << flag;
    const Ended wrong =
        Execute(Under(ceiling, Prepare({flag, profile, "--rw", work + "/none", "--", "true"})));
    EXPECT_THAT(wrong.err, HasSubstr("is denied by the ceiling")) << flag;
    const Ended started = Execute(Under(ceiling, Prepare({"start", "--rw", work, flag, profile})));
    EXPECT_THAT(started.err, HasSubstr("is denied by the ceiling")) << flag;
  }
  const std::string policy = workspace.File(
      "policy.json",
      R"({"version":"0.7.0","process":{"commandLine":"true"},"audit":{"path":)" + Quote(profile) + "}}");
  EXPECT_THAT(Execute(Under(ceiling, Prepare({policy}))).err, HasSubstr("is denied by the ceiling"));
  EXPECT_EQ(Contents(profile).value_or(""), "mine");
  EXPECT_EQ(
      Execute(Under(ceiling, Prepare({"--rw", work, "--result", workspace.Path("result"), "--", "true"})))
          .status,
      0);
}

TEST_P(CeilingHere, RefusesWhereItIsToldTo) {
  const std::string ceiling = R"({"onExcess":"refuse","filesystem":{},"network":{}})";
  const Ended ended = Execute(
      Under(ceiling, Prepare({"--rw", workspace.Root(), "--allow-host", "example.com", "--", "true"})));
  EXPECT_EQ(ended.status, 255);
  EXPECT_EQ(EnvelopeCode(ended), "policy_validation");
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("more than the ceiling of this machine allows"));
  EXPECT_EQ(Execute(Under(ceiling, Prepare({"--", "/bin/true"}))).status, 0);
}

// Neither a flag nor a variable makes a run without it.
TEST_P(CeilingHere, UnusableItRefusesEveryRun) {
  for (const auto& [text, mode] : {std::pair{"{", 0644}, {"{\"filesystems\":{}}", 0644}, {"{}", 0666}}) {
    std::vector<Launch> calls = {
        Prepare({"--", "/bin/true"}),
        Prepare({"--dry-run", "--", "/bin/true"}),
        Prepare({"--explain", "--", "/bin/true"}),
        Prepare({"--containment", "none", "--allow-unsandboxed", "--", "/bin/true"}),
        Prepare({"--containment", "landlock", "--", "/bin/true"}),
        Prepare({"start"}),
        PrepareConfig({}),
    };
    Launch elsewhere = Prepare({"--", "/bin/true"});
    for (const char* variable :
         {"HOME=/tmp", "XDG_CONFIG_HOME=/tmp", "XDG_CONFIG_DIRS=/tmp", "MXC_CEILING=/tmp"})
      elsewhere.environment.emplace_back(variable);
    calls.push_back(elsewhere);
    for (const Launch& call : calls) {
      const Ended ended = Execute(Under(text, call, static_cast<mode_t>(mode)));
      EXPECT_EQ(ended.status, 255) << testing::PrintToString(call.arguments);
      EXPECT_THAT(ended.err, HasSubstr("cannot be used, and nothing runs without it"));
    }
  }
}

TEST_P(CeilingHere, NoneIsNever) {
  const Ended ended =
      Execute(Under("{}", Prepare({"--containment", "none", "--allow-unsandboxed", "--", "/bin/true"})));
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(EnvelopeMessage(ended), HasSubstr("does not allow the containment 'none'"));
}

// Who names the proxy decides where everything goes.
TEST_P(CeilingHere, AProxyOfTheEnvironmentIsTheOneThatTheCeilingNames) {
  const std::string rule = R"("allow":[{"to":[{"host":"ok.test"}],"ports":[{"port":80}]}])";
  const auto network = [&](const std::string& proxy) {
    return R"("network":{"egress":{"upstreamProxy":")" + proxy + "\"," + rule + "}}";
  };
  const std::string policy =
      workspace.File("policy.json", R"({"version":"1.1.0-alpha","process":{"commandLine":":"},)" +
                                        network("environment") + "}");
  const auto shown = [&](const std::string& bound, const std::string& variable) {
    Launch launch = Prepare({"--explain", policy});
    launch.environment.push_back(variable);
    return Execute(Under("{" + network(bound) + "}", launch));
  };
  const std::string bound = "http://proxy.test:3128";
  EXPECT_THAT(shown(bound, "http_proxy=http://me:x@proxy.test:3128").out,
              AllOf(HasSubstr("proxy.test port 3128"), Not(HasSubstr("clamped"))));
  EXPECT_THAT(shown(bound, "http_proxy=http://other.test:3128").out,
              AllOf(HasSubstr("http_proxy names another than the ceiling"), Not(HasSubstr("other.test"))));
  const Ended refused = shown("environment", "http_proxy=http://proxy.test:3128");
  EXPECT_EQ(refused.status, 255);
  EXPECT_THAT(refused.err, HasSubstr("write the proxy: http://HOST:PORT"));
}

TEST_P(CeilingHere, LimitsAndVariables) {
  const std::string ceiling = R"({"process":{"timeout":300,"env":["CI"]},"resources":{"openFiles":77}})";
  EXPECT_EQ(Execute(Under(ceiling, Prepare({"--", "sh", "-c", "ulimit -n"}))).out, "77\n");
  EXPECT_EQ(Execute(Under(ceiling,
                          Prepare({"--env", "CI=1", "--env", "LD_X=2", "--", "sh", "-c", "echo $CI$LD_X"})))
                .out,
            "1\n");
  EXPECT_EQ(Execute(Under(ceiling, Prepare({"--timeout", "5m", "--", "sleep", "20"}))).status, 255);
}

TEST_P(CeilingHere, RecordOutputAndTier) {
  const std::string log = workspace.Directory("log", 0700) + "/audit.jsonl";
  const std::string ceiling = R"({"audit":{"path":)" + Quote(log) +
                              R"(},"output":{"maxBytes":5},"require":{"minimumTier":"process"}})";
  const Ended ended = Execute(Under(ceiling, Prepare({"--", "echo", "0123456789"})));
  EXPECT_EQ(ended.out, "01234") << ended.err;
  EXPECT_THAT(Contents(log).value_or(""), HasSubstr("SHA-256 "));
}

TEST_P(CeilingHere, CommandsThatDestroyWait) {
  const Ended ended =
      Execute(Under(R"({"require":{"review":"destructive"}})",
                    Prepare({"--rw", workspace.Root(), "--", "rm", "-rf", workspace.Root()})));
  EXPECT_EQ(ended.status, 255);
  EXPECT_THAT(ended.err, HasSubstr(R"("kind":"approval_required")"));
  EXPECT_TRUE(Exists(workspace.Root()));
}

TEST_P(CeilingHere, HelpersAreThosePinned) {
  const Launch bubblewrap = Prepare({"--containment", "bubblewrap", "--", "/bin/true"});
  const Ended unpinned = Execute(Under(R"({"require":{"verify":true}})", bubblewrap));
  EXPECT_EQ(unpinned.status, 255);
  EXPECT_THAT(EnvelopeMessage(unpinned), HasSubstr("'bwrap' has none"));
  const std::string hash =
      nlohmann::json::parse(Execute(Prepare({"--probe=json"})).out)["helpers"]["bwrap"].value("sha256", "");
  const std::string pin = R"("helpers":{"bwrap":{"sha256":")" + hash + R"("}})";
  const Launch pinned_by_caller = Prepare(
      {"--config", workspace.File("pinned.json", R"({"version":"1.1.0-alpha","containment":"bubblewrap",
        "process":{"argv":["/bin/true"]},)" + pin + "}")});
  EXPECT_THAT(EnvelopeMessage(Execute(Under(R"({"require":{"verify":true}})", pinned_by_caller))),
              HasSubstr("'bwrap' has none of the operator's"));
  EXPECT_EQ(Execute(Under(R"({"require":{"verify":true},)" + pin + "}", bubblewrap)).status, 0);
  const Ended other =
      Execute(Under(R"({"helpers":{"bwrap":{"sha256":")" + std::string(64, 'a') + R"("}}})", bubblewrap));
  EXPECT_EQ(other.status, 255);
  EXPECT_THAT(EnvelopeMessage(other), HasSubstr("is not the file that is pinned"));
  EXPECT_EQ(Execute(Under(R"({"require":{"verify":true}})", Prepare({"--", "/bin/true"}))).status, 0);
}

// Runs by flags show the toolchains of the PATH unasked.
TEST_P(CeilingHere, ToolsThatWereAskedForAreRefused) {
  const std::string ceiling =
      R"({"onExcess":"refuse","filesystem":{"readonlyPaths":[")" + workspace.Root() + R"("]}})";
  EXPECT_EQ(Execute(Under(ceiling, Prepare({"--", "/bin/true"}))).status, 0);
  const Ended flag = Execute(Under(ceiling, Prepare({"--tools", "inherit", "--", "/bin/true"})));
  EXPECT_EQ(flag.status, 255);
  EXPECT_THAT(EnvelopeMessage(flag), HasSubstr("'/usr/local' is not granted"));
  const Launch policy = PrepareConfig({.command = "true", .filesystem = R"("tools":"inherit")"});
  EXPECT_THAT(EnvelopeMessage(Execute(Under(ceiling, policy))), HasSubstr("more than the ceiling"));
}

// Inside a sandbox there is the same file, of an owner without a number, and a new run is within both.
TEST_P(CeilingHere, NestedRunsAreBelowItToo) {
  const std::string program = workspace.CopyOf(ProgramUnderTest(), "bin/mxc-exec");
  const std::string ceiling = R"({"resources":{"openFiles":77}})";
  const Ended ended = Execute(
      Under(ceiling, Prepare({"--rw", workspace.Root(), "--", program, "--", "sh", "-c", "ulimit -n"})));
  EXPECT_EQ(ended.out, "77\n") << ended.err;
  const Ended broken = Execute(
      Under("{}", Prepare({"--rw", workspace.Root(), "--deny", kPlace, "--", program, "--", "true"})));
  EXPECT_EQ(broken.status, 255) << "what cannot be read refuses";
}

TEST_P(CeilingHere, ASandboxFromBeforeRunsNothing) {
  const std::string id = Started();
  EXPECT_EQ(Exec(id, "true").status, 0);
  const Ended ended = Execute(Under("{}", ExecOf(id, "true")));
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("the ceiling of this machine has changed since the sandbox was started"));
}

TEST_P(CeilingHere, ASandboxBelowItIsBounded) {
  const std::string ceiling = R"({"filesystem":{},"process":{"timeout":300,"env":["CI"]}})";
  const std::string id = LastLine(Execute(Under(ceiling, Prepare({"start", "--rw", workspace.Root()}))).out);
  ASSERT_THAT(id, HasSubstr(":"));
  provisioned.push_back(id);
  const Ended ended = Execute(Under(ceiling, Prepare({"exec", id, "--env", "LD_X=1", "--env", "CI=2", "--",
                                                      "sh", "-c", "echo $CI$LD_X; ls " + workspace.Root()})));
  EXPECT_EQ(ended.out, "2\n") << ended.err;
  EXPECT_EQ(Execute(Under(ceiling, Prepare({"exec", id, "--", "sleep", "20"}))).status, 255);
  EXPECT_NE(Execute(Under(ceiling, Prepare({"exec", "--background", id, "--", "sleep", "20"}))).status, 0);
  EXPECT_NE(Execute(Prepare({"exec", id, "--", "true"})).status, 0) << "the ceiling is gone";
}

// Refused before the sandbox is entered, and told without what its variables hold.
TEST_P(CeilingHere, ARecordOfAnExecWhereItDeniesIsRefused) {
  const std::string denied = workspace.Directory("denied");
  const std::string ceiling =
      R"({"filesystem":{"readwritePaths":["/"],"deniedPaths":[)" + Quote(denied) + "]}}";
  const std::string marker = Token();
  const std::string id =
      LastLine(Execute(Under(ceiling, Prepare({"start", "--env", "MY_TOKEN=" + marker}))).out);
  ASSERT_THAT(id, HasSubstr(":"));
  provisioned.push_back(id);
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"exec", "--result", denied + "/" + marker, id, "--", "true"},
        {"--result", denied + "/" + marker, ExecOf(id, "true").arguments.back()},
        {"--env", "MY_TOKEN=" + marker, "--result", denied + "/" + marker, "--", "true"}}) {
    const Ended ended = Execute(Under(ceiling, Prepare(words)));
    EXPECT_NE(ended.status, 0);
    EXPECT_THAT(ended.err, AllOf(HasSubstr(denied + "/[REDACTED]"), Not(HasSubstr(marker)))) << words.front();
  }
}

// Whoever asks for more, or for nothing, gets what is allowed.
TEST_P(CeilingHere, ASandboxEndsWithItsTime) {
  const std::string ceiling = R"({"session":{"lifetimeMs":400}})";
  std::vector<Launch> calls = {Prepare({"start"})};
  for (const char* session :
       {"", R"("session":{"lifetimeMs":0,"idleTimeoutMs":0})", R"("session":{"lifetimeMs":90000})"})
    calls.push_back(ProvisionOf(*session == '\0' ? "" : "," + std::string(session)));
  std::vector<std::string> ids;
  for (const Launch& call : calls) {
    const Ended made = Execute(Under(ceiling, call));
    const std::string line = LastLine(made.out);
    const std::size_t at = line.find(R"("sandboxId":")");
    ids.push_back(at == std::string::npos ? line : line.substr(at + 13, line.find('"', at + 13) - at - 13));
    ASSERT_THAT(ids.back(), HasSubstr(":")) << made.err;
    provisioned.push_back(ids.back());
  }
  std::this_thread::sleep_for(std::chrono::milliseconds{600});
  for (const std::string& id : ids)
    EXPECT_THAT(Listed(id, "state"), testing::AnyOf("expired", "absent")) << id;
}

// A sandbox is as old as its name, and the ceiling of each start says how old it may be.
TEST_P(CeilingHere, ASandboxThatStartsAgainIsBoundedInTime) {
  const Ended made = Execute(Under("{}", ProvisionOf()));
  const std::size_t at = made.out.find(R"("sandboxId":")");
  ASSERT_NE(at, std::string::npos) << made.out << made.err;
  const std::string id = made.out.substr(at + 13, made.out.find('"', at + 13) - at - 13);
  provisioned.push_back(id);
  const pid_t daemon = DaemonOf(id);
  ASSERT_GT(daemon, 0);
  std::ofstream("/proc/" + std::to_string(daemon) + "/root/etc/mxc-exec/ceiling.json")
      << R"({"session":{"lifetimeMs":400}})";
  std::this_thread::sleep_for(std::chrono::milliseconds{500});
  (void)Execute(Phase("start", id));
  std::this_thread::sleep_for(std::chrono::milliseconds{200});
  EXPECT_THAT(Listed(id, "state"), testing::AnyOf("expired", "absent"));
}

TEST_P(CeilingHere, RequiredProtectionHolds) {
  const std::string repository = workspace.Directory("work");
  for (const char* directory : {"work/.git/hooks", "work/.git/objects", "work/.git/refs"})
    workspace.Directory(directory);
  workspace.File("work/.git/HEAD", "ref: refs/heads/main\n");
  const std::string config = workspace.File("work/.git/config", "[core]\n");
  const std::vector<std::string> words = {"--rw",
                                          repository,
                                          config,
                                          repository + "/.git/hooks",
                                          "--",
                                          "sh",
                                          "-c",
                                          "echo x >> " + config + "; echo x > " + repository +
                                              "/.git/hooks/post-checkout; echo > " + repository + "/made"};
  const Ended ended = Execute(Under(R"({"require":{"protect":["git"]}})", Prepare(words)));
  EXPECT_EQ(Contents(config).value_or(""), "[core]\n");
  EXPECT_FALSE(Exists(repository + "/.git/hooks/post-checkout"));
  EXPECT_TRUE(Exists(repository + "/made")) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the ceiling of this machine cuts the policy"));
  const Ended refused =
      Execute(Under(R"({"onExcess":"refuse","require":{"protect":["git"]}})", Prepare(words)));
  EXPECT_EQ(refused.status, 255);
  EXPECT_THAT(EnvelopeMessage(refused), HasSubstr("'" + config + "' is protected"));
}

// Root's commands could write the next run's ceiling.
TEST_P(CeilingHere, NoCommandWritesIt) {
  const Ended ended =
      Execute(Under("{}", Prepare({"--rw", "/etc", "--", "sh", "-c",
                                   "echo > /etc/mxc-exec/ceiling.json; echo > /etc/mxc-exec/x"})));
  EXPECT_NE(ended.status, 0);
}

}  // namespace
}  // namespace mxc::test::ceiling_test
