// The caller's toolchains in the sandbox: each kind in the layout that its installer makes.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/support/launcher_test.h"

namespace mxc::test::tools_test {
namespace {

using testing::HasSubstr;

class ToolRuns : public LauncherTest {
 protected:
  void SetUp() override {
    LauncherTest::SetUp();
    home = workspace.Directory("home", 0700);
    workspace.File("home/.ssh/id", "SECRET", 0600);
  }
  // By flags, as on a terminal: HOME and PATH are the caller's.
  [[nodiscard]] Ended Run(const std::string& path, std::vector<std::string> flags, const std::string& script,
                          const std::vector<std::string>& environment = {}) const {
    flags.insert(flags.begin(), {"--containment", GetParam().containment});
    flags.insert(flags.end(), {"--", "/bin/sh", "-c", script});
    Launch launch = Prepare(std::move(flags));
    launch.environment = {"HOME=" + home, "PATH=" + path + ":/usr/bin:/bin"};
    launch.environment.insert(launch.environment.end(), environment.begin(), environment.end());
    return Execute(launch);
  }
  std::string Script(const std::string& name, const std::string& text) const {
    return workspace.File(name, "#!/bin/sh\n" + text + "\n", 0755);
  }

  std::string home;  // NOLINT: the tests read it
};
INSTANTIATE_TEST_SUITE_P(As, ToolRuns,
                         testing::Values(Setting{Caller::kRoot, "namespaces"},
                                         Setting{Caller::kUser, "namespaces"},
                                         Setting{Caller::kRoot, "bubblewrap"},
                                         Setting{Caller::kUser, "bubblewrap"}),
                         CallerAndContainmentOf);

TEST_P(ToolRuns, AVirtualEnvironment) {
  const std::string app = workspace.Directory("app");
  const std::string environment = app + "/.venv";
  const Ended made = Execute(
      {.program = "/usr/bin/python3", .arguments = {"-m", "venv", "--without-pip", environment}, .uid = uid});
  ASSERT_EQ(made.status, 0) << made.err;
  const std::string script = "python3 -c 'import sys; print(sys.prefix)'; echo $VIRTUAL_ENV";
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--rw", app}, {}}) {
    const Ended ended = Run(environment + "/bin", flags, script, {"VIRTUAL_ENV=" + environment});
    EXPECT_EQ(ended.out, environment + "\n" + environment + "\n") << ended.err;
  }
}

TEST_P(ToolRuns, NodeOfNvm) {
  const std::string bin = home + "/.nvm/versions/node/v20/bin";
  Script("home/.nvm/versions/node/v20/bin/tool", "cat \"${0%/*}/../lib/node_modules/npm/package.json\"");
  workspace.File("home/.nvm/versions/node/v20/lib/node_modules/npm/package.json", "npm\n");
  EXPECT_EQ(Run(bin, {}, "tool; touch " + bin + "/x 2>/dev/null || echo closed").out, "npm\nclosed\n");
  EXPECT_THAT(Run(bin, {"--deny", home + "/.nvm"}, "tool").err, HasSubstr("tool: not found"));
}

TEST_P(ToolRuns, PythonOfPyenv) {
  Script("home/.pyenv/shims/tool", "exec \"$PYENV_ROOT/libexec/pyenv\" exec tool");
  Script("home/.pyenv/libexec/pyenv", "exec \"$PYENV_ROOT/versions/$(cat $PYENV_ROOT/version)/bin/$2\"");
  Script("home/.pyenv/versions/3/bin/tool", "echo of pyenv");
  workspace.File("home/.pyenv/version", "3\n");
  EXPECT_EQ(Run(home + "/.pyenv/shims", {}, "tool").out, "of pyenv\n");
}

TEST_P(ToolRuns, RustWithoutCredentials) {
  Script("home/.cargo/bin/cargo", "exec \"$RUSTUP_HOME/toolchains/stable/bin/cargo\" \"$@\"");
  Script("home/.cargo/bin/rustup", "true");
  Script("home/.rustup/toolchains/stable/bin/cargo", "echo cargo; echo x >${CARGO_HOME:-$HOME/.cargo}x");
  workspace.File("home/.cargo/credentials.toml", "SECRET", 0600);
  const Ended ended =
      Run(home + "/.cargo/bin", {},
          "cargo; cat " + home + "/.cargo/credentials.toml " + home + "/.ssh/id; ls -A " + home);
  EXPECT_EQ(ended.out, "cargo\n.cargo\n.rustup\n") << ended.err;
}

TEST_P(ToolRuns, WhatTheAdministratorInstalled) {
  const Ended inside = Run("/usr/local/bin", {}, "ls -A /usr/local/bin");
  EXPECT_EQ(inside.out, Execute({.program = "/bin/ls", .arguments = {"-A", "/usr/local/bin"}}).out)
      << inside.err;
  Launch document = PrepareConfig({.command = "ls -A /usr/local; echo $PATH"});
  EXPECT_EQ(Execute(document).out, "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n");
  Launch asked = PrepareConfig({.command = "test -d /usr/local/bin", .filesystem = R"("tools":"inherit")"});
  EXPECT_EQ(Execute(asked).status, 0);
}

// Where it is on this host, and what makes it be found inside.
TEST_P(ToolRuns, AMissingProgramNamesTheFlag) {
  const std::string bin = workspace.Directory("open/bin");
  ASSERT_EQ(::chmod(bin.c_str(), 0777), 0);
  Script("open/bin/tool", "echo ran");
  const auto run = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"--containment", GetParam().containment});
    flags.insert(flags.end(), {"--", "tool"});
    Launch launch = Prepare(std::move(flags));
    launch.environment = {"HOME=" + home, "PATH=" + bin + ":/usr/bin:/bin"};
    return Execute(launch);
  };
  EXPECT_THAT(run({}).err, HasSubstr("here it is in '" + bin + "': add --ro '" + bin + "'"));
  EXPECT_EQ(run({"--ro", bin}).out, "ran\n") << "the advice, followed";
  ASSERT_EQ(::chmod(bin.c_str(), 0755), 0);
  EXPECT_EQ(run({}).out, "ran\n");
}

TEST_P(ToolRuns, ExplainSaysWhy) {
  const std::string bin = home + "/.deno/bin";
  Script("home/.deno/bin/deno", "true");
  EXPECT_THAT(Run(bin, {"--explain"}, "true").out,
              HasSubstr("read-only '" + bin + "': PATH names '" + bin + "'"));
}

}  // namespace
}  // namespace mxc::test::tools_test
