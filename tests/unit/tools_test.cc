// The caller's toolchains: what of them shows, what never does, and what is on PATH.
#include "policy/tools.h"

#include <gtest/gtest.h>

#include "tests/unit/policy_text.h"

namespace mxc::tools_test {
namespace {

// The caller's files, made with the directories above them.
class ToolsTest : public testing::Test {
 protected:
  void SetUp() override {
    host_.AddDebian().AddDirectory("/usr/local/bin").AddDirectory("/home/ana", {.mode = 0750, .uid = 1000});
    host_.SetEnvironment("HOME", "/home/ana");
    config_ = ConfigOf({});
    config_.tools_pointer = "/filesystem/tools";
  }
  void Own(const std::string& path) {
    std::string above = "/home/ana";
    for (std::size_t at = above.size() + 1; at < path.size();) {
      const std::size_t end = std::min(path.find('/', at), path.size());
      above = path.substr(0, end);
      if (!host_.Has(above)) host_.AddDirectory(above, {.uid = 1000});
      at = end + 1;
    }
  }
  void OwnFile(const std::string& path, const std::string& text = "x") {
    Own(std::string(ParentOf(path)));
    host_.AddFile(path, text, {.uid = 1000});
  }
  // What shows beside what the lists name, and the search path without what every sandbox has.
  [[nodiscard]] std::string Shown(const std::string& path, const Bounds& bounds = {}) {
    host_.SetEnvironment("PATH", path);
    const Result<Policy> policy = Resolve(config_, host_, {.bounds = bounds});
    if (!policy) return RefusalOf(policy);
    warnings_ = WarningsText(*policy);
    std::string text;
    for (const PathRule& rule : policy->paths) {
      if (!rule.pointer.empty() && rule.pointer == config_.tools_pointer) text += rule.path + "\n";
    }
    for (const Variable& variable : policy->process.environment) {
      constexpr std::string_view kStandard = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
      std::string value = variable.value.Reveal();
      if (variable.name == "PATH") {
        const std::size_t standard = value.find(kStandard);
        if (standard != std::string::npos) value.resize(standard);
      }
      const bool tools = variable.name == "PATH" || variable.name.ends_with("_ROOT") ||
                         variable.name == "VIRTUAL_ENV" || variable.name.starts_with("NVM_") ||
                         variable.name.ends_with("_VERSION") || variable.name.starts_with("RUSTUP_");
      if (tools && !value.empty()) text += variable.name + "=" + value + "\n";
    }
    return text;
  }

  FakeHost host_;         // NOLINT: the tests fill it
  Config config_;         // NOLINT: the tests fill it
  std::string warnings_;  // NOLINT: the same
};

TEST_F(ToolsTest, WhatACeilingTakesAwayIsNotOnThePath) {
  host_.AddFile("/opt/node/bin/node").AddFile("/opt/go/bin/go");
  const Ceiling ceiling{
      .sections = {{.bounds = ConfigOf({.ro = {"/opt/go"}}), .filesystem = true, .refuses = true}}};
  for (const bool unasked : {false, true}) {
    Cuts cuts;
    if (unasked) cuts.Ignore(config_.tools_pointer);
    EXPECT_EQ(Shown("/opt/node/bin:/opt/go/bin", {.ceiling = &ceiling, .cuts = &cuts}),
              "/opt/go/bin\nPATH=/opt/go/bin:\n");
    EXPECT_EQ(warnings_, "tools-hidden \n");
    EXPECT_EQ(cuts.Refusal().ok(), unasked);
  }
}

TEST_F(ToolsTest, NothingWithoutTheClause) {
  host_.AddDirectory("/opt/node/bin");
  config_.tools_pointer = "";
  EXPECT_EQ(Shown("/opt/node/bin:/usr/bin"), "");
}

TEST_F(ToolsTest, OfPackagesAndOfTheAdministrator) {
  host_.AddDirectory("/opt/node/bin").AddDirectory("/opt/node/lib").AddDirectory("/opt/node/etc");
  host_.AddDirectory("/opt/bin").AddDirectory("/srv/app/bin").AddDirectory("/srv/app/lib");
  EXPECT_EQ(Shown("/opt/node/bin:/usr/bin:rel:"),
            "/opt/node/bin\n/opt/node/lib\nPATH=/opt/node/bin:/usr/bin:"
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin\n");
  EXPECT_EQ(Shown("/opt/bin"), "/opt/bin\nPATH=/opt/bin:\n");
  EXPECT_EQ(Shown("/srv/app/bin"), "/srv/app/bin\nPATH=/srv/app/bin:\n") << "a project may be called so";
  EXPECT_EQ(Shown("/usr/local/bin:/usr/bin"),
            "/usr/local\nPATH=/usr/local/bin:/usr/bin:/usr/local/sbin:"
            "/usr/sbin:/sbin:/bin\n");
}

TEST_F(ToolsTest, WhatIsAdministratedThereIsNoTool) {
  host_.AddFile("/usr/local/etc/key", "k");
  host_.SetEnvironment("PATH", "/usr/local/bin");
  const Result<Policy> policy = Resolve(config_, host_, {});
  ASSERT_TRUE(policy.ok());
  EXPECT_NE(RulesText(*policy, Origin::kBaseline).find("denied /usr/local/etc\n"), std::string::npos);
}

TEST_F(ToolsTest, OfVersionManagers) {
  Own("/home/ana/.nvm/versions/node/v20/bin");
  Own("/home/ana/.nvm/versions/node/v20/lib/node_modules");
  Own("/home/ana/.nvm/versions/node/v20/etc");
  OwnFile("/home/ana/.nvm/alias");
  host_.SetEnvironment("NVM_BIN", "/home/ana/.nvm/versions/node/v20/bin");
  EXPECT_EQ(Shown("/home/ana/.nvm/versions/node/v20/bin"),
            "/home/ana/.nvm/versions/node/v20/bin\n/home/ana/.nvm/versions/node/v20/lib\n"
            "PATH=/home/ana/.nvm/versions/node/v20/bin:\nNVM_BIN=/home/ana/.nvm/versions/node/v20/bin\n");
  Own("/home/ana/.pyenv/shims");
  Own("/home/ana/.pyenv/versions/3/bin");
  OwnFile("/home/ana/.pyenv/version");
  Own("/home/ana/.pyenv/libexec");
  OwnFile("/home/ana/.pyenv/.env");
  EXPECT_EQ(Shown("/home/ana/.pyenv/shims"),
            "/home/ana/.pyenv/libexec\n/home/ana/.pyenv/shims\n/home/ana/.pyenv/version\n"
            "/home/ana/.pyenv/versions\nPATH=/home/ana/.pyenv/shims:\nPYENV_ROOT=/home/ana/.pyenv\n");
}

TEST_F(ToolsTest, OfCargoTheProgramsAlone) {
  OwnFile("/home/ana/.cargo/bin/rustup");
  OwnFile("/home/ana/.cargo/credentials.toml");
  Own("/home/ana/.cargo/registry");
  Own("/home/ana/.rustup/toolchains");
  Own("/home/ana/.rustup/tmp");
  Own("/home/ana/.rustup/update-hashes");
  OwnFile("/home/ana/.rustup/settings.toml");
  EXPECT_EQ(Shown("/home/ana/.cargo/bin"),
            "/home/ana/.cargo/bin\n/home/ana/.rustup/settings.toml\n/home/ana/.rustup/toolchains\n"
            "/home/ana/.rustup/update-hashes\n"
            "PATH=/home/ana/.cargo/bin:\nRUSTUP_HOME=/home/ana/.rustup\n");
}

TEST_F(ToolsTest, OfAVirtualEnvironmentItsInterpreterToo) {
  OwnFile("/home/ana/app/.venv/pyvenv.cfg", "home = /home/ana/.local/share/uv/python/3/bin\nversion = 3\n");
  Own("/home/ana/app/.venv/bin");
  Own("/home/ana/app/.venv/lib");
  host_.AddSymlink("/home/ana/app/.venv/lib64", "lib", {.uid = 1000});
  host_.AddSymlink("/home/ana/app/.venv/share", "/home/ana/.ssh", {.uid = 1000})
      .AddDirectory("/home/ana/.ssh");
  OwnFile("/home/ana/.local/share/uv/python/3/bin/python3");
  Own("/home/ana/.local/share/uv/python/3/lib");
  host_.SetEnvironment("VIRTUAL_ENV", "/home/ana/app/.venv");
  const std::string interpreter =
      "/home/ana/.local/share/uv/python/3/bin\n/home/ana/.local/share/uv/python/3/lib\n";
  const std::string rest = "PATH=/home/ana/app/.venv/bin:\nVIRTUAL_ENV=/home/ana/app/.venv\n";
  EXPECT_EQ(Shown("/home/ana/app/.venv/bin"),
            interpreter +
                "/home/ana/app/.venv/bin\n/home/ana/app/.venv/lib\n/home/ana/app/.venv/pyvenv.cfg\n" + rest);
  config_.read_write = Entries({"/home/ana/app"}, "readwritePaths");
  EXPECT_EQ(Shown("/home/ana/app/.venv/bin"), interpreter + rest) << "the rest is inside already";
}

// A command of an earlier run may have written the file, the link, or the marker.
TEST_F(ToolsTest, NothingThatACommandCouldChoose) {
  Own("/home/ana/app/bin");
  Own("/home/ana/other/bin");
  Own("/home/ana/other/lib");
  OwnFile("/home/ana/other/.env");
  OwnFile("/home/ana/app/pyvenv.cfg", "home = /home/ana/other/bin\n");
  config_.read_write = Entries({"/home/ana/app"}, "readwritePaths");
  EXPECT_EQ(Shown("/home/ana/app/bin"), "PATH=/home/ana/app/bin:\n");
  host_.AddSymlink("/home/ana/app/tools", "/home/ana/other/bin", {.uid = 1000});
  EXPECT_EQ(Shown("/home/ana/app/tools"), "");
  config_.read_write.clear();
  host_.AddSymlink("/home/ana/app/docs", "/home/ana/other", {.uid = 1000});
  EXPECT_EQ(Shown("/home/ana/app/docs"), "") << "a link leads to programs alone";
  EXPECT_EQ(Shown("/home/ana/app/tools"), "") << "and in a home nowhere";
  OwnFile("/home/ana/other/pyvenv.cfg", "home = /usr/bin\n");
  EXPECT_EQ(
      Shown("/home/ana/other/bin"),
      "/home/ana/other/bin\n/home/ana/other/lib\n/home/ana/other/pyvenv.cfg\nPATH=/home/ana/other/bin:\n");
}

TEST_F(ToolsTest, AnInterpreterIsWhereOneIs) {
  OwnFile("/home/ana/v/pyvenv.cfg", "home = /data/tool/bin\n");
  Own("/home/ana/v/bin");
  host_.AddFile("/data/tool/bin/other", "x");
  const std::string own = "/home/ana/v/bin\n/home/ana/v/pyvenv.cfg\nPATH=/home/ana/v/bin:\n";
  EXPECT_EQ(Shown("/home/ana/v/bin"), own);
  host_.AddFile("/data/tool/bin/python3", "x", {.mode = 0644});
  EXPECT_EQ(Shown("/home/ana/v/bin"), own);
  host_.AddFile("/data/tool/bin/python3", "x", {.mode = 0755});
  EXPECT_EQ(Shown("/home/ana/v/bin"), "/data/tool/bin\n" + own);
}

TEST_F(ToolsTest, WhatVariablesNameIsLookedAt) {
  host_.AddDirectory("/usr/include").AddFile("/etc/passwd");
  Own("/home/ana/.pyenv/shims");
  Own("/home/ana/.pyenv/versions/3.12");
  OwnFile("/home/ana/.cargo/bin/rustup");
  Own("/home/ana/.rustup/toolchains/stable-x86_64");
  const std::string path = "/home/ana/.pyenv/shims:/home/ana/.cargo/bin";
  const auto variables = [&](const char* name, const std::string& value) {
    host_.SetEnvironment(name, value);
    const std::string shown = Shown(path);
    host_.SetEnvironment(name, "");
    const std::size_t at = shown.find("\n" + std::string(name) + "=");
    return at == std::string::npos ? "" : shown.substr(at + 1, shown.find('\n', at + 1) - at - 1);
  };
  EXPECT_EQ(variables("NVM_BIN", "/usr/none/bin"), "");
  EXPECT_EQ(variables("NVM_INC", "/etc/passwd"), "");
  EXPECT_EQ(variables("NVM_INC", "/usr/include"), "NVM_INC=/usr/include");
  EXPECT_EQ(variables("PYENV_VERSION", "$(id)"), "");
  EXPECT_EQ(variables("PYENV_VERSION", "3.12:system"), "PYENV_VERSION=3.12:system");
  EXPECT_EQ(variables("PYENV_VERSION", "3.12:3.13"), "");
  EXPECT_EQ(variables("RBENV_VERSION", "3.12"), "") << "there is no rbenv";
  EXPECT_EQ(variables("RUSTUP_TOOLCHAIN", "stable"), "RUSTUP_TOOLCHAIN=stable");
  EXPECT_EQ(variables("RUSTUP_TOOLCHAIN", "ghp_token"), "");
}

TEST_F(ToolsTest, NeverAHomeNorASecret) {
  Own("/home/ana/bin");
  Own("/home/ana/lib");
  Own("/home/ana/.ssh/bin");
  Own("/home/ana/.local/bin");
  Own("/home/ana/.local/lib");
  Own("/home/ana/.local/share/keyrings");
  EXPECT_EQ(Shown("/home/ana"), "");
  EXPECT_EQ(Shown("/home"), "");
  Own("/home/ana/project");
  OwnFile("/home/ana/settings/bin/.npmrc");
  host_.AddDirectory("/srv/other/.aws/bin", {.uid = 1000}).AddDirectory("/srv/app/.git", {.uid = 1000});
  EXPECT_EQ(Shown("/home/ana/project:/home/ana/settings/bin:/srv/other/.aws/bin:/srv/app"), "");
  EXPECT_EQ(Shown("/"), "");
  EXPECT_EQ(Shown("/home/ana/.ssh/bin:/home/ana/.ssh"), "");
  EXPECT_EQ(Shown("/home/ana/bin"), "/home/ana/bin\nPATH=/home/ana/bin:\n");
  EXPECT_EQ(Shown("/home/ana/.local/bin"),
            "/home/ana/.local/bin\n/home/ana/.local/lib\nPATH=/home/ana/.local/bin:\n");
}

TEST_F(ToolsTest, WithoutAHomeOnlyPackages) {
  Own("/home/ana/bin");
  host_.AddDirectory("/opt/node/bin").SetEnvironment("HOME", "");
  EXPECT_EQ(Shown("/home/ana/bin:/home/ana:/opt/node/bin"), "/opt/node/bin\nPATH=/opt/node/bin:\n");
}

TEST_F(ToolsTest, NothingThatOthersCouldChange) {
  host_.AddDirectory("/opt/open/bin", {.mode = 0777})
      .AddDirectory("/opt/group/bin", {.mode = 0775, .gid = 50});
  host_.AddDirectory("/opt/theirs/bin", {.uid = 1001}).AddDirectory("/opt/loose", {.mode = 0777});
  host_.AddDirectory("/opt/loose/bin")
      .AddDirectory("/opt/mine/bin", {.mode = 0775, .uid = 1000, .gid = 1000});
  host_.AddDirectory("/var/tmp", {.mode = 01777}).AddDirectory("/var/tmp/x/bin", {.uid = 1000});
  EXPECT_EQ(Shown("/opt/open/bin:/opt/group/bin:/opt/theirs/bin:/opt/loose/bin"), "");
  EXPECT_EQ(Shown("/opt/mine/bin:/var/tmp/x/bin"),
            "/opt/mine/bin\n/var/tmp/x/bin\nPATH=/opt/mine/bin:/var/tmp/x/bin:\n");
}

TEST_F(ToolsTest, ThePolicyDecides) {
  host_.AddDirectory("/opt/node/bin").AddDirectory("/opt/node/lib").AddDirectory("/opt/go/bin");
  config_.denied = Entries({"/opt/node/lib", "/opt/go", "/usr/local"}, "deniedPaths");
  EXPECT_EQ(Shown("/opt/node/bin:/opt/go/bin:/usr/local/bin"), "/opt/node/bin\nPATH=/opt/node/bin:\n");
  config_ = ConfigOf({.ro = {"/opt"}});
  config_.tools_pointer = "/filesystem/tools";
  EXPECT_EQ(Shown("/opt/node/bin"), "PATH=/opt/node/bin:\n") << "granted already";
}

TEST_F(ToolsTest, EachSaysWhy) {
  host_.AddDirectory("/opt/node/bin");
  host_.SetEnvironment("PATH", "/opt/node/bin");
  EXPECT_EQ(
      ClausesText(*Resolve(config_, host_, {})),
      "/filesystem/tools: read-only '/opt/node/bin': PATH names '/opt/node/bin'\n/network: no network\n");
}

TEST_F(ToolsTest, AMissingProgramThatIsALinkSaysWhereBothAre) {
  host_.AddFile("/srv/app/node_modules/tool/cli.js", "", {.mode = 0755})
      .AddSymlink("/srv/app/node_modules/.bin/tool", "../tool/cli.js");
  host_.SetEnvironment("PATH", "/srv/app/node_modules/.bin:/usr/bin");
  config_.process = {.argv = {"tool"}};
  EXPECT_EQ(Resolve(config_, host_, {}).error().hint,
            "here it is in '/srv/app/node_modules/.bin': add --ro '/srv/app/node_modules'");
  config_.process = {.argv = {"/srv/app/node_modules/.bin/tool"}};
  EXPECT_EQ(Resolve(config_, host_, {}).error().hint,
            "grant '/srv/app/node_modules', and what it needs, with readonlyPaths");
  host_.AddDirectory("/home/me")
      .AddFile("/home/me/tool", "", {.mode = 0755})
      .SetEnvironment("HOME", "/home/me");
  config_.process = {.argv = {"/home/me/tool"}};
  EXPECT_EQ(Resolve(config_, host_, {}).error().hint,
            "grant '/home/me/tool', and what it needs, with readonlyPaths")
      << "not HOME";
  config_.process = {.argv = {"/srv/nosuch"}};
  EXPECT_EQ(Resolve(config_, host_, {}).error().hint, "it does not exist on this host either");
}

TEST_F(ToolsTest, AMissingProgramSaysWhereItIs) {
  host_.AddFile("/opt/theirs/bin/tool", "", {.mode = 0755}).AddDirectory("/opt/theirs", {.uid = 1001});
  host_.SetEnvironment("PATH", "/opt/theirs/bin:/usr/bin");
  config_.process = {.argv = {"tool"}};
  EXPECT_EQ(Resolve(config_, host_, {}).error().hint,
            "here it is in '/opt/theirs/bin': add --ro '/opt/theirs/bin'");
  config_.tools_pointer = "";
  EXPECT_EQ(Resolve(config_, host_, {}).error().hint,
            "here it is in '/opt/theirs/bin': write \"tools\": \"inherit\" in `filesystem`, or grant "
            "'/opt/theirs/bin' and set PATH");
  config_.process = {.argv = {"nosuch"}};
  EXPECT_EQ(Resolve(config_, host_, {}).error().hint, "install it, or write its absolute path");
  host_.AddFile("/usr/bin/npm", "", {.mode = 0755});
  config_.process = {.argv = {"npm test"}};
  EXPECT_EQ(Resolve(config_, host_, {}).error().hint,
            "write its words apart, or give a shell the line: sh -c 'npm test'");
}

}  // namespace
}  // namespace mxc::tools_test
