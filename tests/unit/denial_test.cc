#include "policy/denial.h"

#include <gmock/gmock.h>

#include "tests/support/fake_host.h"

namespace mxc::denial_test {
namespace {

class DenialTest : public ::testing::Test {
 protected:
  DenialTest() {
    host.AddDebian()
        .AddFile("/srv/work/file", "", {.uid = 1000})
        .AddFile("/srv/work/.env", "", {.uid = 1000})
        .AddFile("/srv/work/.git/hooks/x", "", {.uid = 1000})
        .AddFile("/srv/data/file")
        .AddFile("/home/me/key")
        .AddFile("/home/other/key", "", {.readable = false, .writable = false})
        .AddFile("/tmp/of-the-host")
        .AddSymlink("/srv/work/out", "/home/me/key");
    policy.paths = {
        Rule("/etc", Access::kReadOnly, "", Origin::kBaseline),
        Rule("/etc/shadow", Access::kDenied, "", Origin::kBaseline),
        Rule("/srv/data", Access::kReadOnly, "/filesystem/readonlyPaths/0"),
        Rule("/srv/work", Access::kReadWrite, "/filesystem/readwritePaths/0"),
        Rule("/srv/work/.env", Access::kDenied, "/filesystem/deniedPaths/0"),
        Rule("/srv/work/.git/hooks", Access::kReadOnly, "/filesystem/protect", Origin::kProtection)};
    host.AddFile("/etc/shadow");
  }
  static PathRule Rule(std::string path, Access access, std::string pointer,
                       Origin origin = Origin::kPolicy) {
    return {.path = std::move(path), .access = access, .pointer = std::move(pointer), .origin = origin};
  }
  // "reason; pointer; grant", or "none".
  std::string Judge(FileUse use, const std::string& path) {
    const std::optional<FileDenial> denial = DenialJudge(policy, host).Judge({.use = use, .path = path});
    if (!denial) return "none";
    const std::string made = denial->make.empty() ? "" : denial->make + " ";
    return denial->reason + "; " + denial->pointer + "; " + made + denial->grant + denial->advice;
  }
  // What --report advises about `path`, which nothing grants.
  std::string Advice(FileUse use, const std::string& path, bool directory = false) {
    const auto denial = DenialJudge(policy, host).Judge({.use = use, .path = path, .directory = directory});
    if (!denial) return "none";
    return (denial->make.empty() ? "" : denial->make + " ") + denial->grant + denial->advice;
  }

  FakeHost host;
  Policy policy;
};

TEST_F(DenialTest, WhatIsGrantedIsNone) {
  EXPECT_EQ(Judge(FileUse::kWrite, "/srv/work/file"), "none");
  EXPECT_EQ(Judge(FileUse::kWrite, "/srv/work/new"), "none");
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/data/file"), "none");
}

TEST_F(DenialTest, WhatNothingGrants) {
  EXPECT_EQ(Judge(FileUse::kRead, "/home/me/key"), "nothing of the policy grants it; ; /home/me/key");
  EXPECT_EQ(Judge(FileUse::kLook, "/srv/work/../../home/me"),
            "nothing of the policy grants it; ; it holds more than one command needs: grant what the command "
            "uses of it");
}

// That a grant of the directory would not do, and what a socket opens, is said with the advice.
TEST_F(DenialTest, SocketsOfTheHost) {
  for (const char* path : {"/tmp/.X11-unix/X0", "/run/docker.sock", "/srv/work/agent.sock", "/srv/work/mine",
                           "/srv/data/named", "/srv/other.sock"})
    host.AddLiveSocket(path);
  policy.paths.push_back(Rule("/srv/work/agent.sock", Access::kDenied, "", Origin::kBaseline));
  policy.paths.push_back(Rule("/srv/data/named", Access::kReadWrite, "/filesystem/sockets/0"));
  EXPECT_EQ(
      Judge(FileUse::kConnect, "/tmp/.X11-unix/X0"),
      "a program outside listens there: whoever connects reads keyboard and screen, and types into every "
      "window; ; /tmp/.X11-unix/X0");
  EXPECT_EQ(Judge(FileUse::kConnect, "/var/run/docker.sock"),
            "a program outside listens there: whoever connects starts containers that mount any file of the "
            "host: this is root; ; /run/docker.sock");
  EXPECT_THAT(Judge(FileUse::kConnect, "/srv/work/agent.sock"),
              testing::EndsWith("; ; /srv/work/agent.sock"));
  EXPECT_EQ(Judge(FileUse::kConnect, "/srv/work/mine"), "none") << "bound by the command";
  EXPECT_EQ(Judge(FileUse::kConnect, "/srv/data/named"), "none");
  EXPECT_EQ(Judge(FileUse::kConnect, "/srv/work/.env"), "none") << "no socket";
  EXPECT_EQ(Judge(FileUse::kConnect, "/run/nobody.sock"), "none");
  policy.paths.push_back(Rule("/srv/other.sock", Access::kDenied, "/filesystem/deniedPaths/1"));
  EXPECT_THAT(Judge(FileUse::kConnect, "/srv/other.sock"),
              testing::EndsWith("; /filesystem/deniedPaths/1; "));
}

// An image's files are nobody's to change, and what it lacks is not there.
TEST_F(DenialTest, WhereAnImageShows) {
  host.SetCaller(0, 0)
      .AddFile("/opt/tool")
      .AddFile("/opt/both")
      .AddFile("/image/opt/both")
      .AddFile("/image/opt/own");
  policy.paths.push_back(Rule("/opt", Access::kReadOnly, "", Origin::kBaseline));
  policy.paths.back().source = "/image/opt";
  EXPECT_EQ(Judge(FileUse::kRead, "/opt/tool"), "nothing of the policy grants it; ; /opt/tool");
  EXPECT_EQ(Judge(FileUse::kRead, "/opt/both"), "none");
  policy.paths[0].source = "/image/etc";
  EXPECT_EQ(Judge(FileUse::kRead, "/etc/passwd"), "none") << "of another system";
  EXPECT_EQ(Judge(FileUse::kRead, "/opt/own"), "none");
  EXPECT_EQ(Judge(FileUse::kWrite, "/opt/both"), "part of the image, which is read-only; /lxc; ");
  EXPECT_EQ(Judge(FileUse::kWrite, "/opt/new"), "part of the image, which is read-only; /lxc; ");
}

TEST_F(DenialTest, AFileThatWouldBeNewNeedsItsDirectory) {
  host.AddDirectory("/data/out", {.uid = 1000});
  EXPECT_EQ(Judge(FileUse::kWrite, "/data/out/new"), "nothing of the policy grants it; ; /data/out");
  EXPECT_EQ(Judge(FileUse::kWrite, "/home/me/new"), "nothing of the policy grants it; ; touch /home/me/new");
  EXPECT_EQ(Judge(FileUse::kWrite, "/home/me/no/such/new"), "none");
}

TEST_F(DenialTest, TheClauseThatDecided) {
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/work/.env"), "denied; /filesystem/deniedPaths/0; ");
  EXPECT_EQ(Judge(FileUse::kWrite, "/srv/data/file"), "read-only; /filesystem/readonlyPaths/0; ");
  EXPECT_EQ(Judge(FileUse::kWrite, "/srv/work/.git/hooks/x"),
            "protected against changes; /filesystem/protect; ");
}

TEST_F(DenialTest, ADeniedDirectoryWithAGrantBelowShowsThatGrant) {
  host.AddFile("/srv/work/a/g").AddFile("/srv/work/a/b/f");
  policy.paths.push_back(Rule("/srv/work/a", Access::kDenied, "/filesystem/deniedPaths/1"));
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/work/a"), "denied; /filesystem/deniedPaths/1; ");
  policy.paths.push_back(Rule("/srv/work/a/b", Access::kReadOnly, "/filesystem/readonlyPaths/1"));
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/work/a"),
            "denied, but for what is granted below it; /filesystem/deniedPaths/1; ");
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/work/a/g"), "denied; /filesystem/deniedPaths/1; ");
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/work/a/b/f"), "none");
}

TEST_F(DenialTest, TheDefaultsThatDecided) {
  host.SetCaller(0, 0);
  EXPECT_EQ(Judge(FileUse::kRead, "/etc/shadow"),
            "hidden by default; ; it may hold secrets: nothing is advised");
  EXPECT_EQ(
      Judge(FileUse::kWrite, "/etc/passwd"),
      "part of the system, which is read-only; ; the system's files are read-only in every sandbox: let "
      "the command write elsewhere");
}

// Neither that it is there nor that it is not.
TEST_F(DenialTest, SecretsAreUntoldWhetherTheyExistOrNot) {
  host.SetCaller(0, 0);
  policy.paths.push_back(Rule("/etc/gshadow", Access::kDenied, "", Origin::kBaseline));
  const auto told = [&](const std::string& path) {
    const auto denial = DenialJudge(policy, host).Judge({.use = FileUse::kWrite, .path = path});
    return denial && !denial->untold;
  };
  EXPECT_FALSE(told("/etc/shadow"));
  EXPECT_FALSE(told("/etc/gshadow"));
  EXPECT_TRUE(told("/etc/passwd"));
}

TEST_F(DenialTest, ADirectoryThatIsMissingIsToBeMade) {
  host.AddDirectory("/data/out", {.uid = 1000});
  EXPECT_EQ(Advice(FileUse::kWrite, "/data/out/new", true), "mkdir /data/out/new");
  EXPECT_EQ(Advice(FileUse::kWrite, "/home/me/new", true), "mkdir /home/me/new");
}

TEST_F(DenialTest, NothingIsAdvisedThatOpensMoreThanIsNeeded) {
  const std::string broad = "it holds more than one command needs: grant what the command uses of it";
  const std::string secret = "it may hold secrets: nothing is advised";
  host.SetEnvironment("HOME", "/home/me")
      .AddFile("/home/me/.ssh/id_ed25519")
      .AddFile("/home/me/.config/gh/hosts.yml")
      .AddFile("/home/me/.config/tool/rc")
      .AddFile("/home/me/app/main.c")
      .AddDirectory("/opt")
      .AddSymlink("/home/me/link", ".ssh");
  for (const char* path : {"/home", "/home/me", "/home/other", "/opt", "/home/me/.config"})
    EXPECT_EQ(Advice(FileUse::kRead, path), broad) << path;
  for (const char* path : {"/home/me/.ssh", "/home/me/.ssh/id_ed25519", "/home/me/link/id_ed25519"})
    EXPECT_THAT(Advice(FileUse::kRead, path), testing::HasSubstr("is not to be granted")) << path;
  EXPECT_EQ(Advice(FileUse::kRead, "/home/me/.config/gh/hosts.yml"), secret);
  EXPECT_EQ(Advice(FileUse::kRead, "/home/me/.config/tool/rc"), "/home/me/.config/tool/rc");
  EXPECT_EQ(Advice(FileUse::kRead, "/home/me/app"), "/home/me/app");
  EXPECT_EQ(Advice(FileUse::kWrite, "/home/me/.config/new"), "touch /home/me/.config/new");
  EXPECT_THAT(Advice(FileUse::kWrite, "/home/me/.ssh/new"), testing::HasSubstr("is not to be granted"));
}

TEST_F(DenialTest, WhatSshAndGpgNeedInsteadOfTheirKeys) {
  host.SetEnvironment("HOME", "/home/me").AddFile("/home/me/.ssh/id_ed25519.pub");
  host.AddFile("/home/me/.gnupg/pubring.kbx").AddFile("/home/me/.ssh/known_hosts");
  EXPECT_EQ(
      Advice(FileUse::kRead, "/home/me/.ssh/known_hosts"),
      "it may hold keys, and is not to be granted: ssh needs --ro ~/.ssh/known_hosts, and your agent by "
      "--socket '$SSH_AUTH_SOCK'");
  EXPECT_EQ(Advice(FileUse::kRead, "/home/me/.ssh/id_ed25519.pub"), "/home/me/.ssh/id_ed25519.pub");
  policy.process.environment = {{.name = "HOME", .value = Secret{"/tmp/home"}}};
  EXPECT_THAT(Advice(FileUse::kRead, "/tmp/home/.gnupg/pubring.kbx"),
              testing::EndsWith("gpg needs --ro ~/.gnupg/pubring.kbx --env GNUPGHOME=\"$HOME/.gnupg\", and "
                                "your agent by --socket \"$(gpgconf --list-dirs agent-socket)\""));
}

TEST_F(DenialTest, GitNeedsTheWholeOfItsDirectory) {
  host.AddFile("/srv/main/.git/worktrees/w/HEAD", "", {.uid = 1000});
  EXPECT_EQ(Advice(FileUse::kLook, "/srv/main/.git/worktrees/w/HEAD"), "/srv/main/.git");
  EXPECT_EQ(Advice(FileUse::kWrite, "/srv/main/.git/worktrees/w/HEAD"), "/srv/main/.git");
  host.AddFile("/srv/main/.git/modules/m/HEAD", "", {.uid = 1000});
  EXPECT_EQ(Advice(FileUse::kLook, "/srv/main/.git/modules/m/HEAD"), "/srv/main/.git/modules/m");
}

TEST_F(DenialTest, WhatNoGrantHelps) {
  host.SetCaller(0, 0).AddDirectory("/var/lib/dpkg").AddDirectory("/run");
  EXPECT_EQ(Advice(FileUse::kWrite, "/var/lib/dpkg/lock-frontend"),
            "packages are installed outside: inside, root has no privileges and the system is read-only");
  host.AddDirectory("/var/tmp");
  EXPECT_EQ(Advice(FileUse::kWrite, "/var/tmp/x"), "temporary files go to /tmp, which is the sandbox's own");
  EXPECT_EQ(Advice(FileUse::kWrite, "/run/screen", true),
            "screen takes another directory for its sockets: --env SCREENDIR=/tmp/screen");
}

TEST_F(DenialTest, WhatProgramsOutsideKeepIsNotToBeWritten) {
  constexpr const char* kKept =
      "it is kept by programs outside, and is not to be written from a sandbox: let the command write "
      "elsewhere";
  host.SetCaller(0, 0).AddFile("/var/log/btmp").AddFile("/run/utmp").AddDirectory("/var/spool/cron");
  for (const char* path :
       {"/var/log/btmp", "/var/log/new", "/run/utmp", "/run/server.pid", "/var/spool/cron/me"})
    EXPECT_EQ(Advice(FileUse::kWrite, path), kKept) << path;
  EXPECT_EQ(Advice(FileUse::kRead, "/var/log/btmp"), "/var/log/btmp");
}

TEST_F(DenialTest, WhatProgramsOutsideRunIsNotToBeWritten) {
  constexpr const char* kRun =
      "programs outside run what stands there, and it is not to be written from a sandbox: let the command "
      "write elsewhere";
  host.SetEnvironment("HOME", "/home/me").AddDirectory("/home/me/.config/systemd/user", {.uid = 1000});
  host.AddFile("/home/me/.bashrc").AddDirectory("/home/me/.local/share", {.uid = 1000});
  host.AddDirectory("/home/me/.local/bin", {.uid = 1000});
  for (const char* path : {"/home/me/.config/systemd/user/n.service", "/home/me/.local/bin/tool",
                           "/home/me/.bashrc", "/home/me/.config/autostart"})
    EXPECT_EQ(Advice(FileUse::kWrite, path), kRun) << path;
  EXPECT_EQ(Advice(FileUse::kWrite, "/home/me/.local/n"), "touch /home/me/.local/n");
  EXPECT_EQ(Advice(FileUse::kWrite, "/home/me/.local/share/n"), "touch /home/me/.local/share/n");
  EXPECT_EQ(Advice(FileUse::kRead, "/home/me/.bashrc"), "/home/me/.bashrc");
}

// tmux, screen and their like look whether there is one.
TEST_F(DenialTest, DirectoriesForSocketsAreNotAdvised) {
  constexpr const char* kSockets =
      "it is for sockets of programs outside; what the command starts has its own";
  host.AddDirectory("/tmp/tmux-1000", {.uid = 1000}).AddDirectory("/tmp/.X11-unix");
  for (const char* path : {"/tmp/tmux-1000", "/tmp/.X11-unix"})
    EXPECT_EQ(Advice(FileUse::kLook, path), kSockets) << path;
  host.AddLiveSocket("/tmp/tmux-1000/default");
  EXPECT_THAT(Judge(FileUse::kConnect, "/tmp/tmux-1000/default"),
              testing::EndsWith("; ; nothing is advised: the command may start one of its own"));
}

TEST_F(DenialTest, WhatAHomeOfItsOwnHides) {
  host.SetEnvironment("HOME", "/home/me").AddFile("/home/me/.toolrc").AddFile("/home/me/.npmrc");
  policy.process.environment = {{.name = "HOME", .value = Secret{"/tmp/home"}}};
  const std::string reason = "the command has a HOME of its own, which shows nothing of the host's; ; ";
  EXPECT_EQ(Judge(FileUse::kRead, "/tmp/home/.toolrc"),
            reason + "a grant of it shows it there; HOME=/home/me makes programs look there");
  policy.home_files = {{.name = ".gitconfig"}};
  EXPECT_EQ(Judge(FileUse::kRead, "/tmp/home/.toolrc"), reason + "a grant of it shows it in that HOME, too");
  policy.home_files.clear();
  EXPECT_EQ(Judge(FileUse::kRead, "/tmp/home/.npmrc"), reason + "it may hold secrets: nothing is advised");
  EXPECT_EQ(Judge(FileUse::kRead, "/tmp/home/.none"), "none");
  host.AddFile("/home/me/.config/gh/hosts.yml").AddFile("/home/me/.config/tool/rc");
  const std::optional<FileDenial> inner =
      DenialJudge(policy, host).Judge({.use = FileUse::kRead, .path = "/tmp/home/.config/tool/rc"});
  ASSERT_TRUE(inner.has_value());
  EXPECT_EQ(inner->path, "/home/me/.config/tool/rc") << "not all of .config, which holds a secret";
  EXPECT_EQ(Judge(FileUse::kWrite, "/tmp/home/.toolrc"), "none");
}

TEST_F(DenialTest, WhatAPathOfItsOwnHides) {
  host.SetEnvironment("PATH", "/home/me/bin:/usr/bin").AddFile("/home/me/bin/tool", "", {.mode = 0755});
  host.AddFile("/usr/bin/ls", "", {.mode = 0755}).AddFile("/home/me/bin/ls", "", {.mode = 0755});
  policy.process.environment = {{.name = "PATH", .value = Secret{"/usr/local/bin:/usr/bin"}}};
  policy.paths.push_back(Rule("/usr", Access::kReadOnly, "", Origin::kBaseline));
  EXPECT_EQ(
      Judge(FileUse::kExecute, "/usr/bin/tool"),
      "it is on the PATH of the caller, and the sandbox does not show it; ; grant '/home/me/bin', and put "
      "'/home/me/bin' on the PATH of the command");
  EXPECT_EQ(Judge(FileUse::kExecute, "/usr/local/bin/ls"), "none");
  // As npm puts node_modules/.bin there for what mxc-sh runs.
  host.SetEnvironment("PATH", "/srv/work/bin:/usr/bin").AddFile("/srv/work/bin/jest", "", {.mode = 0755});
  EXPECT_EQ(
      Judge(FileUse::kExecute, "/usr/bin/jest"),
      "it is on the PATH of the caller, and not on the sandbox's; ; put '/srv/work/bin' on the PATH of the "
      "command, as \"tools\": \"inherit\" in `filesystem` does");
  EXPECT_EQ(Judge(FileUse::kExecute, "/usr/bin/none"), "none");
}

// As npm and pipx install programs: the target alone would leave the link out, the link's directory the
// target.
TEST_F(DenialTest, AdviceShowsTheLinksOnTheWayToo) {
  host.AddFile("/home/me/app/node_modules/tool/cli.js", "", {.mode = 0755})
      .AddSymlink("/home/me/app/node_modules/.bin/tool", "../tool/cli.js");
  EXPECT_EQ(Advice(FileUse::kExecute, "/home/me/app/node_modules/.bin/tool"), "/home/me/app/node_modules");
  host.AddFile("/home/me/.local/share/venvs/tool/bin/tool", "", {.mode = 0755})
      .AddSymlink("/home/me/bin/tool", "/home/me/.local/share/venvs/tool/bin/tool");
  EXPECT_EQ(Advice(FileUse::kExecute, "/home/me/bin/tool"),
            "grant '/home/me/bin' and '/home/me/.local/share/venvs/tool/bin': it is found through links");
  policy.paths.push_back(Rule("/home/me/bin", Access::kReadOnly, "/filesystem/readonlyPaths/1"));
  EXPECT_EQ(Advice(FileUse::kExecute, "/home/me/bin/tool"), "/home/me/.local/share/venvs/tool/bin/tool");
}

TEST_F(DenialTest, WhatTheHostRefusesOrLacksIsNoneOfOurs) {
  EXPECT_EQ(Judge(FileUse::kRead, "/home/me/missing"), "none");
  EXPECT_EQ(Judge(FileUse::kRead, "/home/other/key"), "none");
}

TEST_F(DenialTest, LinksAreFollowed) {
  EXPECT_EQ(Judge(FileUse::kRead, "/srv/work/out"), "nothing of the policy grants it; ; /home/me/key");
}

// The command goes on while its call is judged: by then the link that it makes may stand there.
TEST_F(DenialTest, ALinkThatTheCallDoesNotFollowIsNot) {
  const auto judge = [&](FileUse use, const std::string& path) {
    const auto denial = DenialJudge(policy, host).Judge({.use = use, .path = path, .link_itself = true});
    return denial ? denial->path : "none";
  };
  for (const FileUse use : {FileUse::kWrite, FileUse::kLook}) {
    EXPECT_EQ(judge(use, "/srv/work/out"), "none");
    EXPECT_EQ(judge(use, "/srv/work/new"), "none");
    EXPECT_EQ(judge(use, "/srv/work/out/"), "/home/me/key");
  }
  host.AddSymlink("/srv/data/link", "/srv/work/file").AddDirectory("/srv/data", {.uid = 1000});
  EXPECT_EQ(judge(FileUse::kWrite, "/srv/work/../data/link"), "/srv/data/link");
  EXPECT_EQ(judge(FileUse::kLook, "/srv/data/link"), "none");
}

TEST_F(DenialTest, AProfileStandsForACacheOfTheHosts) {
  host.SetEnvironment("HOME", "/home/me")
      .AddDirectory("/home/me", {.uid = 1000})
      .AddFile("/home/me/.npm/_cacache/x");
  const auto judge = [&](FileUse use, const std::string& path) {
    const auto denial = DenialJudge(policy, host).Judge({.use = use, .path = path});
    return denial ? denial->profile + "|" + denial->grant : "none";
  };
  EXPECT_EQ(judge(FileUse::kWrite, "/home/me/.npm/_cacache/x"), "node|/home/me/.npm/_cacache/x");
  EXPECT_EQ(judge(FileUse::kWrite, "/home/me/.m2"), "java|/home/me/.m2");
  EXPECT_EQ(judge(FileUse::kRead, "/home/me/.npm/_cacache/x"), "|/home/me/.npm/_cacache/x");
}

TEST_F(DenialTest, DirectoriesOnTheWayToAGrantAreThere) {
  EXPECT_EQ(Judge(FileUse::kRead, "/srv"), "none");
  EXPECT_EQ(Judge(FileUse::kLook, "/"), "none");
}

TEST_F(DenialTest, WhatStandsInForADeniedFileCanBeLookedAt) {
  EXPECT_EQ(Judge(FileUse::kLook, "/srv/work/.env"), "none");
}

TEST_F(DenialTest, OfTheSandboxsOwnOnlyTheHostsTemporaryFilesAreMissed) {
  host.AddFile("/proc/cpuinfo");
  EXPECT_EQ(Judge(FileUse::kRead, "/proc/cpuinfo"), "none");
  EXPECT_EQ(Judge(FileUse::kWrite, "/tmp/new"), "none");
  EXPECT_EQ(Judge(FileUse::kRead, "/tmp"), "none");
  EXPECT_EQ(Judge(FileUse::kRead, "/tmp/of-the-host"),
            "the sandbox has a /tmp of its own; ; /tmp/of-the-host");
}

TEST_F(DenialTest, SomeAreNotToldToTheCommand) {
  host.AddDirectory("/usr/local/lib");
  policy.paths.push_back(Rule("/usr/local", Access::kDenied, "", Origin::kBaseline));
  const auto untold = [&](FileUse use, const std::string& path) {
    const std::optional<FileDenial> denial = DenialJudge(policy, host).Judge({.use = use, .path = path});
    return denial && denial->untold;
  };
  EXPECT_TRUE(untold(FileUse::kRead, "/srv/work/.env"));
  EXPECT_TRUE(untold(FileUse::kRead, "/etc/shadow"));
  EXPECT_TRUE(untold(FileUse::kLook, "/usr/local/lib"));
  EXPECT_FALSE(untold(FileUse::kRead, "/usr/local/lib"));
  EXPECT_FALSE(untold(FileUse::kRead, "/home/me/key"));
  EXPECT_FALSE(untold(FileUse::kWrite, "/srv/data/file"));
  EXPECT_FALSE(untold(FileUse::kWrite, "/srv/work/.git/hooks/x"));
}

}  // namespace
}  // namespace mxc::denial_test
