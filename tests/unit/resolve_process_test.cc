// argv, working directory, environment, audit, warnings and clauses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/policy_text.h"

namespace mxc::resolve_process_test {
namespace {

class ResolveProcessTest : public testing::Test {
 protected:
  [[nodiscard]] Result<Policy> Resolved(const ResolveOptions& options = {}) const {
    return Resolve(config_, host_, options);
  }
  [[nodiscard]] std::string Cwd() const {
    const Result<Policy> policy = Resolved();
    return policy ? policy->process.cwd : RefusalOf(policy);
  }
  [[nodiscard]] std::string EnvironmentText(const ResolveOptions& options = {}) const {
    const Result<Policy> policy = Resolved(options);
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const Variable& variable : policy->process.environment) {
      text += variable.name + "=" + variable.value.Reveal() + "\n";
    }
    return text;
  }
  void WriteCwd(const std::string& cwd) {
    config_.process.cwd = cwd;
    config_.process.cwd_pointer = "/process/cwd";
  }

  FakeHost host_;  // NOLINT: the tests fill it
  Config config_;  // NOLINT: the tests fill it
  void SetUp() override {
    host_.AddDebian().AddDirectory("/srv/work/sub").AddFile("/srv/work/file").AddDirectory("/srv/other");
    config_ = ConfigOf({.rw = {"/srv/work"}, .denied = {"/srv/work/no"}});
  }
};

TEST_F(ResolveProcessTest, Argv) {
  config_.process.command_line = "echo $HOME";
  EXPECT_EQ(Resolved()->process.argv, (std::vector<std::string>{"/bin/sh", "-c", "echo $HOME"}));
  EXPECT_EQ(Resolved()->process.command_line, "echo $HOME");
  host_.AddFile("/usr/bin/ls");
  config_.process = {.argv = {"ls", "-l", ""}};
  EXPECT_EQ(Resolved()->process.argv, (std::vector<std::string>{"ls", "-l", ""}));
}

// Said before anything starts, whichever engine would have started it.
TEST_F(ResolveProcessTest, ProgramsThatAreNotInside) {
  host_.AddFile("/opt/bin/tool").AddFile("/srv/work/run").AddFile("/tmp/x").AddFile("/srv/work/no");
  host_.AddFile("/usr/bin/ls").AddSymlink("/usr/bin/link", "/opt/bin/tool").AddUnreadable("/srv/work/dark");
  WriteCwd("/srv/work");
  const auto verdict = [this](const std::string& program) {
    config_.process.argv = {program};
    return RefusalOf(Resolved());
  };
  for (const char* program :
       {"ls", "/bin/ls", "/srv/work/run", "./run", "/proc/self/exe", "/srv/work/dark/x"}) {
    EXPECT_EQ(verdict(program), "") << program;
  }
  for (const char* program :
       {"/nosuch", "/opt/bin/tool", "/tmp/x", "./nosuch", "/srv/work/no", "/usr/bin/link"}) {
    EXPECT_EQ(verdict(program), "setup_failed /process/argv/0: the program '" + std::string(program) +
                                    "' does not exist inside the sandbox");
  }
  EXPECT_EQ(verdict("tool"),
            "setup_failed /process/argv/0: the program 'tool' is in no directory of the sandbox's PATH");
  config_.process.environment = {{{.name = "PATH", .value = Secret{"/nosuch:/srv/work"}}}};
  EXPECT_EQ(verdict("run"), "");
  EXPECT_NE(verdict("ls"), "");
  config_.containment = Containment::kNone;
  config_.intent = Intent::kConcrete;
  config_.process.argv = {"tool"};
  EXPECT_TRUE(Resolved({.allow_unsandboxed = true}).ok());
}

// execve says of all of them EACCES or ENOENT, and of no file.
TEST_F(ResolveProcessTest, ProgramsThatCannotBeExecuted) {
  host_.AddFile("/usr/bin/sh").AddFile("/opt/bin/python", "", {.mode = 0755});
  host_.AddFile("/srv/work/plain", "", {.mode = 0644});
  host_.AddFile("/srv/work/noexec", "", {.mode = 0755, .executable = false});
  host_.AddFile("/srv/work/good", "#! /bin/sh -e\n", {.mode = 0755});
  host_.AddFile("/srv/work/missing", "#!/usr/bin/nosuch -x\n", {.mode = 0755});
  host_.AddFile("/srv/work/outside", "#!/opt/bin/python\n", {.mode = 0755});
  host_.AddFile("/srv/work/dos", "#!/bin/sh\r\necho\r\n", {.mode = 0755});
  WriteCwd("/srv/work");
  const auto verdict = [this](const std::string& program) {
    config_.process.argv = {program};
    const Result<Policy> policy = Resolved();
    return policy ? std::string() : policy.error().message + "; " + policy.error().hint;
  };
  EXPECT_EQ(verdict("./good"), "");
  EXPECT_EQ(verdict("./sub"), "'./sub' is a directory; name a program");
  EXPECT_EQ(
      verdict("./plain"),
      "the program './plain' is not executable; chmod +x /srv/work/plain, or name its interpreter before "
      "it");
  EXPECT_THAT(verdict("./noexec"), testing::HasSubstr("noexec"));
  EXPECT_EQ(verdict("./missing"),
            "the interpreter '/usr/bin/nosuch' of './missing' does not exist inside the sandbox; it does not "
            "exist on this host either");
  EXPECT_EQ(verdict("./outside"),
            "the interpreter '/opt/bin/python' of './outside' does not exist inside the sandbox; grant "
            "'/opt/bin', and what it needs, with readonlyPaths");
  EXPECT_THAT(verdict("./dos"), testing::HasSubstr("CR LF"));
}

// The run goes on: a shell may be right about what it looks up.
TEST_F(ResolveProcessTest, TheProgramOfALineThatIsOutside) {
  host_.AddFile("/usr/bin/ls").AddFile("/opt/mine/bin/mytool").AddFile("/opt/mine/bin/ls");
  host_.AddFile("/opt/mine/bin/cd").SetEnvironment("PATH", "/opt/mine/bin:/usr/bin");
  const auto said = [this](const std::string& line) -> std::string {
    config_.process = {.command_line = line};
    const Result<Policy> policy = Resolved();
    if (!policy) return RefusalOf(policy);
    for (const Warning& warning : policy->warnings) {
      if (warning.category == "program-outside") return (warning.told ? "told: " : "") + warning.message;
    }
    return "";
  };
  const std::string warning =
      "told: the program 'mytool' is in no directory of the sandbox's PATH; here it is in '/opt/mine/bin': "
      "write "
      "\"tools\": \"inherit\" in `filesystem`, or grant '/opt/mine/bin' and set PATH";
  for (const char* line : {"mytool", "mytool test", "  mytool 'a b' | tee x && y", "mytool>x"})
    EXPECT_EQ(said(line), warning) << line;
  for (const char* line : {"ls", "nosuch", "cd mytool", "./mytool", "A=1 mytool", "mytool() { :; }",
                           "'mytool'", "$X", "if mytool; then x; fi", ""}) {
    EXPECT_EQ(said(line), "") << line;
  }
  config_.process = {};
  EXPECT_EQ(said("mytool"), warning);
}

TEST_F(ResolveProcessTest, WrittenDirectories) {
  host_.AddSymlink("/home/w", "/srv/work/sub");
  WriteCwd("/srv/work/sub/..");
  EXPECT_EQ(Cwd(), "/srv/work");
  WriteCwd("/home/w");
  EXPECT_EQ(Cwd(), "/srv/work/sub");
  WriteCwd("/usr/share");
  EXPECT_EQ(Cwd(), "/usr/share");
  WriteCwd("/");
  EXPECT_EQ(Cwd(), "/");
  WriteCwd("/tmp");
  EXPECT_EQ(Cwd(), "/tmp");
}

TEST_F(ResolveProcessTest, DirectoriesThatAreRefused) {
  host_.AddDirectory("/tmp/mine").AddDirectory("/srv/work/no/sub");
  const auto refusal = [this](const std::string& cwd) {
    WriteCwd(cwd);
    return Cwd();
  };
  EXPECT_EQ(refusal("/srv/other"),
            "policy_conflict /process/cwd: cwd '/srv/other' is not visible inside the sandbox");
  EXPECT_EQ(refusal("/srv/work/no/sub"),
            "policy_conflict /process/cwd: cwd '/srv/work/no/sub' is not visible inside the sandbox");
  EXPECT_EQ(refusal("/tmp/mine"),
            "policy_conflict /process/cwd: cwd '/tmp/mine' is not visible inside the sandbox");
  EXPECT_EQ(refusal("/srv/gone"), "policy_conflict /process/cwd: cwd '/srv/gone' does not exist");
  EXPECT_EQ(refusal("/srv/work/file"),
            "policy_conflict /process/cwd: cwd '/srv/work/file' is not a directory");
  config_.read_only = Entries({"/"}, "readonlyPaths");
  EXPECT_EQ(refusal("/srv/other"), "/srv/other");
  EXPECT_EQ(refusal("/proc"), "policy_conflict /process/cwd: cwd '/proc' is not visible inside the sandbox");
  config_.read_write = Entries({"/tmp/mine"}, "readwritePaths");
  EXPECT_EQ(refusal("/tmp/mine"), "/tmp/mine");
  config_.denied = Entries({"/tmp"}, "deniedPaths");
  EXPECT_EQ(refusal("/tmp"), "policy_conflict /process/cwd: cwd '/tmp' is not visible inside the sandbox");
}

TEST_F(ResolveProcessTest, DirectoryOfTheCaller) {
  host_.SetWorkingDirectory("/srv/work/sub");
  EXPECT_EQ(Cwd(), "/srv/work/sub");
  host_.SetWorkingDirectory("/srv/other");
  EXPECT_EQ(Cwd(), "/");
  host_.SetWorkingDirectory("/tmp");
  EXPECT_EQ(Cwd(), "/tmp");
  host_.SetWorkingDirectory("/tmp/x");
  EXPECT_EQ(Cwd(), "/");
  host_.SetWorkingDirectory("(unreachable)/x");
  EXPECT_EQ(Cwd(), "/");
}

TEST_F(ResolveProcessTest, DefaultEnvironment) {
  EXPECT_EQ(EnvironmentText(),
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
            "TERM=xterm-256color\n"
            "LANG=C.UTF-8\n"
            "HOME=/tmp/home\n"
            "TMPDIR=/tmp\n"
            "USER=ana\n"
            "LOGNAME=ana\n"
            "npm_config_fetch_retry_mintimeout=100\n"
            "npm_config_fetch_retry_maxtimeout=1000\n"
            "npm_config_update_notifier=false\n"
            "PIP_RETRIES=1\n"
            "PIP_DISABLE_PIP_VERSION_CHECK=1\n"
            "CARGO_NET_RETRY=1\n");
  host_.SetCaller(4242, 1);
  EXPECT_EQ(EnvironmentText().find("USER"), std::string::npos);
}

TEST_F(ResolveProcessTest, ClientsWaitAsTheyLikeWhereTheNetworkIsOpen) {
  config_.network.egress = RuleAction::kAllow;
  EXPECT_EQ(EnvironmentText().find("RETR"), std::string::npos);
  config_.network.egress = RuleAction::kDeny;
  config_.process.inherit_default_environment = true;
  config_.process.environment = {{"PIP_RETRIES", Secret{"7"}}};
  EXPECT_NE(EnvironmentText().find("PIP_RETRIES=7\n"), std::string::npos);
  EXPECT_EQ(EnvironmentText().find("PIP_RETRIES=1\n"), std::string::npos);
}

// apt takes this from a file alone.
TEST_F(ResolveProcessTest, AptIsToldInAFileOfTheHome) {
  EXPECT_EQ(EnvironmentText().find("APT_CONFIG"), std::string::npos);
  host_.AddFile("/usr/bin/apt-get");
  EXPECT_NE(EnvironmentText().find("APT_CONFIG=/tmp/home/.apt.conf\n"), std::string::npos);
  config_.process.inherit_default_environment = true;
  config_.process.environment = {{"APT_CONFIG", Secret{"/srv/mine"}}};
  EXPECT_NE(EnvironmentText().find("APT_CONFIG=/srv/mine\n"), std::string::npos);
  EXPECT_EQ(EnvironmentText().find(".apt.conf"), std::string::npos);
  config_.network.egress = RuleAction::kAllow;
  config_.process.environment.reset();
  EXPECT_EQ(EnvironmentText().find("APT_CONFIG"), std::string::npos);
}

TEST_F(ResolveProcessTest, HomeIsInNoGrant) {
  const auto home = [this](const std::vector<std::string>& granted) {
    config_.read_write = Entries(granted, "readwritePaths");
    const std::string text = EnvironmentText();
    const std::size_t at = text.find("HOME=");
    return at == std::string::npos ? text : text.substr(at + 5, text.find('\n', at) - at - 5);
  };
  host_.AddDirectory("/tmp/home/x");
  EXPECT_EQ(home({"/srv/work"}), "/tmp/home");
  EXPECT_EQ(home({"/"}), "/tmp/home") << "of which the private /tmp is no part";
  EXPECT_EQ(home({"/tmp/home/x"}), "/tmp/home") << "beside what is granted";
  EXPECT_EQ(home({"/tmp"}), "/dev/shm/home");
  EXPECT_EQ(home({"/", "/tmp"}), "/dev/shm/home");
  EXPECT_EQ(home({"/tmp/home"}), "/dev/shm/home");
  config_.denied = Entries({"/tmp"}, "deniedPaths");
  EXPECT_EQ(home({"/srv/work"}), "/tmp/home") << "what is denied is the host's";
}

TEST_F(ResolveProcessTest, WrittenEnvironment) {
  config_.process.environment.emplace();
  EXPECT_EQ(EnvironmentText(), "");
  config_.process.environment = {{"A", Secret{"1"}}, {"B", Secret{"2"}}, {"A", Secret{"3"}}};
  EXPECT_EQ(EnvironmentText(), "A=3\nB=2\n");
}

TEST_F(ResolveProcessTest, EnvironmentOverTheDefault) {
  config_.process.inherit_default_environment = true;
  config_.process.environment = {{"HOME", Secret{"/srv/work"}}, {"A", Secret{"1"}}};
  EXPECT_EQ(EnvironmentText(),
            "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"
            "TERM=xterm-256color\n"
            "LANG=C.UTF-8\n"
            "HOME=/srv/work\n"
            "TMPDIR=/tmp\n"
            "USER=ana\n"
            "LOGNAME=ana\n"
            "A=1\n"
            "npm_config_fetch_retry_mintimeout=100\n"
            "npm_config_fetch_retry_maxtimeout=1000\n"
            "npm_config_update_notifier=false\n"
            "PIP_RETRIES=1\n"
            "PIP_DISABLE_PIP_VERSION_CHECK=1\n"
            "CARGO_NET_RETRY=1\n");
}

TEST_F(ResolveProcessTest, DirectExecutionSeesTheHost) {
  config_ = ConfigOf({});
  config_.intent = Intent::kConcrete;
  config_.containment = Containment::kNone;
  host_.SetWorkingDirectory("/srv/other").SetEnvironment("HOME", "/home/ana");
  const ResolveOptions options{.allow_unsandboxed = true};
  EXPECT_EQ(Resolved(options)->process.cwd, "/srv/other");
  EXPECT_TRUE(Resolved(options)->paths.empty());
  EXPECT_TRUE(Resolved(options)->links.empty());
  EXPECT_EQ(ClausesText(*Resolved(options)), "");
  EXPECT_NE(EnvironmentText(options).find("HOME=/home/ana\n"), std::string::npos);
  EXPECT_EQ(EnvironmentText(options).find("TMPDIR"), std::string::npos);
}

TEST_F(ResolveProcessTest, AuditMustBeOutOfReach) {
  host_.AddDirectory("/var/log")
      .AddSymlink("/var/log/link", "/srv/work/file")
      .AddSymlink("/srv/work/l", "/var/log");
  const auto resolved = [this](const std::string& path) {
    config_.audit.path = path;
    config_.audit_pointer = "/audit";
    const Result<Policy> policy = Resolved();
    return policy ? policy->audit.path : RefusalOf(policy);
  };
  EXPECT_EQ(resolved("/var/log/./new.log"), "/var/log/new.log");
  host_.AddSymlink("/dev/fd", "/proc/self/fd").AddSymlink("/proc/self", "1");
  EXPECT_EQ(resolved("/dev/fd/9"),
            "policy_conflict /audit: audit path '/dev/fd/9' leads through the symbolic link '/dev/fd'");
  for (const char* path : {"/srv/work/x.log", "/var/log/link"}) {
    EXPECT_EQ(resolved(path),
              "policy_conflict /audit: audit path '" + std::string(path) + "' is inside a read-write grant");
  }
}

// A run with another grant may have left it there.
TEST_F(ResolveProcessTest, AuditIsBehindNoLinkButRootsOwn) {
  host_.AddDirectory("/var/log")
      .AddDirectory("/run/log")
      .AddDirectory("/srv/other", {.uid = 1000})
      .AddSymlink("/var/old", "/run/log")
      .AddSymlink("/var/mine", "/run/log", {.uid = 1000})
      .AddSymlink("/srv/work/l", "/var/log")
      .AddSymlink("/srv/other/l", "/var/log");
  const auto resolved = [this](const std::string& path) {
    config_.audit.path = path;
    config_.audit_pointer = "/audit";
    const Result<Policy> policy = Resolved();
    return policy ? policy->audit.path : RefusalOf(policy);
  };
  EXPECT_EQ(resolved("/var/old/x"), "/run/log/x");
  for (const std::string link : {"/srv/work/l", "/srv/other/l", "/var/mine"}) {
    EXPECT_EQ(resolved(link + "/x"), "policy_conflict /audit: audit path '" + link +
                                         "/x' leads through the symbolic link '" + link + "'");
  }
}

// Root's links in /var are trusted, unless a command of root's could put one there.
TEST_F(ResolveProcessTest, AuditIsBehindNoLinkInAReadWriteGrant) {
  host_.AddDirectory("/run/log").AddSymlink("/var/old", "/run/log").SetCaller(0, 0);
  config_.audit.path = "/var/old/x";
  config_.audit_pointer = "/audit";
  for (const bool writable : {false, true}) {
    const Lists lists = writable ? Lists{.rw = {"/var"}} : Lists{.ro = {"/var"}};
    config_.read_write = ConfigOf(lists).read_write;
    config_.read_only = ConfigOf(lists).read_only;
    EXPECT_EQ(
        RefusalOf(Resolved()),
        writable
            ? "policy_conflict /audit: audit path '/var/old/x' leads through the symbolic link '/var/old'"
            : "");
  }
}

TEST_F(ResolveProcessTest, AuditIsInNoGrantUnderAnotherName) {
  host_.AddDirectory("/srv/work/below").AddDirectory("/mnt/bound").AddBind("/mnt/bound", "/srv/work/below");
  config_.audit.path = "/mnt/bound/log";
  config_.audit_pointer = "/audit";
  EXPECT_EQ(RefusalOf(Resolved()),
            "policy_conflict /audit: audit path '/mnt/bound/log' is inside a read-write grant");
}

TEST_F(ResolveProcessTest, WarningsAboutTheCallerAndTheNetwork) {
  host_.SetCaller(0, 0).SetInteractive(true);
  config_.network.share_host = true;
  config_.network.share_host_pointer = "/network/allowLocalNetwork";
  const Result<Policy> policy = Resolved();
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(WarningsText(*policy), "running-as-root \nnetwork-unrestricted /network/allowLocalNetwork\n");
  EXPECT_TRUE(policy->identity.IsRoot());
  EXPECT_TRUE(policy->interactive);
}

// A rule that asks for what is refused all the same.
TEST_F(ResolveProcessTest, DatagramsToANameAreWarnedOf) {
  const auto warnings = [this](const Peer& to, Protocol protocol, bool uninspected) {
    config_.network.allow = {{.to = {to},
                              .ports = {{.protocol = protocol, .first = 7, .last = 7}},
                              .uninspected = uninspected,
                              .pointer = "/network/egress/allow/0"}};
    const Result<Policy> policy = Resolved();
    std::string told;
    for (const Warning& warning : policy->warnings) told += warning.told ? "told\n" : "";
    return WarningsText(*policy) + told;
  };
  const Peer name{.host = "a.test"};
  EXPECT_EQ(warnings(name, Protocol::kUdp, false), "datagrams-refused /network/egress/allow/0\ntold\n");
  EXPECT_EQ(warnings(name, Protocol::kUdp, true), "");
  EXPECT_EQ(warnings(name, Protocol::kTcp, false), "");
  EXPECT_EQ(warnings({.host = "*"}, Protocol::kUdp, false), "every-name /network/egress/allow/0\n");
  EXPECT_EQ(warnings({.cidr = "192.0.2.0/24"}, Protocol::kUdp, false), "");
}

TEST_F(ResolveProcessTest, ARuleForTheLoopbackDoesNotLeadToTheHosts) {
  config_.network_written = true;
  config_.network.allow = {{.to = {{.host = "localhost"}}, .pointer = "/0"},
                           {.to = {{.cidr = "10.0.0.0/8"}, {.cidr = "127.0.0.1/32"}}, .pointer = "/1"},
                           {.to = {{.cidr = "::1/128"}}, .pointer = "/2"},
                           {.to = {{.host = "localhost.example"}}, .pointer = "/3"},
                           {.pointer = "/4"}};
  const Result<Policy> policy = Resolved();
  ASSERT_TRUE(policy.ok());
  EXPECT_EQ(WarningsText(*policy), "own-loopback /0\nown-loopback /1\nown-loopback /2\n");
}

TEST_F(ResolveProcessTest, OneClausePerThingWritten) {
  config_ = ConfigOf(
      {.rw = {"/srv/work", "/srv/gone"}, .ro = {"/srv/other", "/srv/other/"}, .denied = {"/srv/x\n"}});
  config_.process.timeout_ms = 500;
  config_.process.timeout_pointer = "/process/timeout";
  config_.output = {.max_bytes = 10, .redact_secrets = true};
  config_.output_pointer = "/output";
  config_.audit.path = "/var/audit.log";
  config_.audit_pointer = "/audit";
  config_.minimum_tier = Tier::kContainer;
  config_.minimum_tier_pointer = "/minimumTier";
  EXPECT_EQ(ClausesText(*Resolved()),
            "/filesystem/readonlyPaths/0: read-only '/srv/other'\n"
            "/filesystem/readwritePaths/0: read-write '/srv/work'\n"
            "/filesystem/deniedPaths/0: denied '/srv/x\\x0a'\n"
            "/network: no network\n"
            "/process/timeout: ended after 500 ms\n"
            "/output: output of at most 10 bytes per stream, secrets redacted\n"
            "/audit: a record in '/var/audit.log' before the start\n"
            "/minimumTier: a tier of at least container\n");
}

TEST_F(ResolveProcessTest, ClausesOfTheNetwork) {
  config_ = ConfigOf({});
  config_.network_written = true;
  EXPECT_EQ(ClausesText(*Resolved()), "/network: no network\n");
  config_.network = {
      .egress = RuleAction::kDeny,
      .egress_pointer = "/network/egress/default",
      .allow = {{.to = {{.cidr = "10.0.0.0/8", .except = {"10.1.0.0/16", "10.2.0.0/16"}},
                        {.host = "*.example.com"}},
                 .ports = {{Protocol::kTcp, 80, 90}, {Protocol::kUdp, 53, 53}, {Protocol::kIcmp, 0, 0}},
                 .pointer = "/network/egress/allow/0"}},
      .deny = {{.pointer = "/network/egress/deny/0"}},
      .ingress_pointer = "/network/ingress/default",
      .host_loopback = RuleAction::kAllow,
      .host_loopback_pointer = "/network/ingress/hostLoopback",
      .proxy = ProxyRule{.url = "http://localhost:8080", .pointer = "/network/proxy"}};
  EXPECT_EQ(
      ClausesText(*Resolved()),
      "/network/egress/default: egress default deny\n"
      "/network/egress/allow/0: allow egress to 10.0.0.0/8 except 10.1.0.0/16, 10.2.0.0/16, '*.example.com' "
      "on tcp/80-90, udp/53, icmp\n"
      "/network/egress/deny/0: deny egress to any address\n"
      "/network/ingress/default: ingress default deny\n"
      "/network/ingress/hostLoopback: host loopback allow\n"
      "/network/proxy: egress through the proxy\n");
}

TEST_F(ResolveProcessTest, ASharedNetworkKeepsNothingFromComingIn) {
  config_ = ConfigOf({});
  config_.network = {.egress = RuleAction::kAllow,
                     .egress_pointer = "/network/defaultPolicy",
                     .ingress_pointer = "/network",
                     .host_loopback_pointer = "/network",
                     .share_host = true,
                     .share_host_pointer = "/network/allowLocalNetwork"};
  EXPECT_EQ(ClausesText(*Resolved()),
            "/network/defaultPolicy: egress default allow\n"
            "/network/allowLocalNetwork: the host's own network, unfiltered\n");
}

TEST_F(ResolveProcessTest, SelectionComesBeforeAnyFileIsLookedAt) {
  config_.intent = Intent::kVm;
  EXPECT_EQ(RefusalOf(Resolved()), "unsupported : the 'vm' backend is not available on Linux");
  EXPECT_TRUE(host_.Questions().empty());
}

}  // namespace
}  // namespace mxc::resolve_process_test
