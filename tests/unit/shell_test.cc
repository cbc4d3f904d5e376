// mxc-sh: what a shell is called with, and whose word its policy is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "policy/records.h"
#include "shell/shell_call.h"
#include "shell/shell_policy.h"
#include "tests/support/fake_host.h"
#include "tests/unit/policy_text.h"

namespace mxc::shell_test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(ShellName, IsOneWithAndWithoutADirectoryAndADash) {
  for (const char* name : {"mxc-sh", "/usr/bin/mxc-sh", "-mxc-sh"}) EXPECT_TRUE(IsShellName(name)) << name;
  for (const char* name : {"mxc-exec", "sh", "/opt/mxc-sh/mxc-exec", "mxc-shell", ""})
    EXPECT_FALSE(IsShellName(name)) << name;
}

class ShellCommandTest : public testing::Test {
 protected:
  ShellCommandTest() {
    host.AddTool("bash", "/usr/bin/bash").SetWorkingDirectory("/work");
    host.AddFile("/work/build.sh", "echo built\n")
        .AddFile("/work/with-line", "#!/usr/bin/env -S bash -e\n")
        .AddFile("/work/check.py", "#!/usr/bin/python3\n")
        .AddFile("/work/program", std::string("\x7f"
                                              "ELF\0",
                                              5))
        .AddDirectory("/work/make");
  }
  [[nodiscard]] Words Called(const Words& words, std::string_view program = "mxc-sh") const {
    return CommandOfShellCall(program, words, host);
  }

  FakeHost host;
};

TEST_F(ShellCommandTest, PassesTheFlagsOfAShellOn) {
  EXPECT_EQ(Called({"-c", "make test", "name", "a b"}),
            (Words{"/usr/bin/bash", "-c", "make test", "name", "a b"}));
  EXPECT_EQ(Called({"-lc", "make"}), (Words{"/usr/bin/bash", "-lc", "make"}));
  EXPECT_EQ(Called({"-euo", "pipefail", "-c", "make"}),
            (Words{"/usr/bin/bash", "-euo", "pipefail", "-c", "make"}));
  EXPECT_EQ(Called({"+x"}), (Words{"/usr/bin/bash", "+x"}));
  EXPECT_EQ(Called({}), Words{"/usr/bin/bash"});
  EXPECT_EQ(Called({}, "-mxc-sh"), (Words{"/usr/bin/bash", "-l"}));
}

TEST_F(ShellCommandTest, OneArgumentIsALine) {
  EXPECT_EQ(Called({"make test && echo done"}), (Words{"/usr/bin/bash", "-c", "make test && echo done"}));
  EXPECT_EQ(Called({""}), (Words{"/usr/bin/bash", "-c", ""}));
  for (const char* word : {"make", "./check.py", "/work/program", "missing.sh"})
    EXPECT_EQ(Called({word}), (Words{"/usr/bin/bash", "-c", word})) << word;
}

TEST_F(ShellCommandTest, AFileThatAShellCanReadIsAScript) {
  for (const char* word : {"build.sh", "./build.sh", "/work/with-line"})
    EXPECT_EQ(Called({word}), (Words{"/usr/bin/bash", word})) << word;
  EXPECT_EQ(Called({"build.sh", "a"}), (Words{"/usr/bin/bash", "build.sh", "a"}));
}

TEST_F(ShellCommandTest, TheShellIsASetting) {
  host.SetEnvironment("MXC_SHELL", "zsh");
  EXPECT_EQ(Called({"-c", "x"}), (Words{"zsh", "-c", "x"}));
  EXPECT_EQ(CommandOfShellCall("mxc-sh", {}, FakeHost()), Words{"/bin/sh"});
}

TEST(ShellVariables, AreThoseOfJobsAndThoseThatAreNamed) {
  FakeHost host;
  host.SetEnvironment("TERM", "tmux-256color")
      .SetEnvironment("API_KEY", "secret")
      .SetEnvironment("MXC_POLICY", "{}")
      .SetEnvironment("EXTRA", "x");
  EXPECT_EQ(ShellVariables(host), Words{"TERM"});
  host.SetEnvironment("MXC_ENV", "EXTRA, UNSET");
  EXPECT_EQ(ShellVariables(host), (Words{"EXTRA", "TERM"}));
}

class ShellPolicyTest : public testing::Test {
 protected:
  ShellPolicyTest() {
    host.AddDebian().SetCaller(1000, 1000).SetEnvironment("HOME", "/home/me");
    host.AddDirectory("/home/me", {.uid = 1000, .gid = 1000});
    for (const char* path : {"/home/me/.config", "/home/me/.config/mxc-exec", "/home/me/p"})
      host.AddDirectory(path, {.uid = 1000, .gid = 1000});
  }
  FakeHost& Add(const std::string& path, FakeAttributes attributes) {
    return host.AddFile(path, "{}", attributes);
  }
  // The path of the policy, "document", or the refusal.
  [[nodiscard]] std::string Found() const {
    const Result<ShellPolicy> policy = FindShellPolicy(host);
    if (!policy) return policy.error().message + ": " + policy.error().hint;
    return policy->path.empty() ? "document" : policy->path;
  }
  [[nodiscard]] std::string Named(const std::string& value) {
    host.SetEnvironment("MXC_POLICY", value);
    return Found();
  }

  static constexpr FakeAttributes kMine{.mode = 0644, .uid = 1000, .gid = 1000};
  FakeHost host;
};

TEST_F(ShellPolicyTest, WithoutOneTheRefusalSaysWhatToDo) {
  host.SetWorkingDirectory("/home/me/p");
  EXPECT_EQ(Found(),
            "there is no policy: write one to '/home/me/.config/mxc-exec/policy.json', or name a file in "
            "MXC_POLICY; a short one is {\"version\": \"1.0.0\", \"filesystem\": {\"tools\": \"inherit\", "
            "\"readwritePaths\": [\"/home/me/p\"]}}");
  host.SetWorkingDirectory("/home/me");
  EXPECT_THAT(Found(), HasSubstr("[\"/home/me/app\"]")) << "no policy grants its own file";
  host.SetEnvironment("XDG_CONFIG_HOME", "/home/me/other");
  EXPECT_THAT(Found(), HasSubstr("write one to '/home/me/other/mxc-exec/policy.json'"));
  EXPECT_THAT(Named("/nowhere"), HasSubstr("the policy '/nowhere' does not exist"));
}

TEST_F(ShellPolicyTest, IsOfTheVariableOrOfTheConfigurationDirectory) {
  Add("/home/me/.config/mxc-exec/policy.json", kMine);
  EXPECT_EQ(Found(), "/home/me/.config/mxc-exec/policy.json");
  Add("/home/me/p/one.json", kMine);
  EXPECT_EQ(Named("/home/me/p/one.json"), "/home/me/p/one.json");
  EXPECT_EQ(Named("\n {\"version\":\"1.0.0\"}"), "document");
  EXPECT_EQ(Named(""), "/home/me/.config/mxc-exec/policy.json");
  EXPECT_THAT(Named("p/one.json"), HasSubstr("is a relative path"));
}

TEST_F(ShellPolicyTest, OthersMayNotHaveWrittenIt) {
  Add("/home/me/p/root.json", {.mode = 0644});
  EXPECT_EQ(Named("/home/me/p/root.json"), "/home/me/p/root.json");
  Add("/home/me/p/group.json", {.mode = 0664, .uid = 1000, .gid = 50});
  Add("/home/me/p/all.json", {.mode = 0666, .uid = 1000, .gid = 1000});
  Add("/home/me/p/other.json", {.mode = 0644, .uid = 1001, .gid = 1001});
  Add("/tmp/mine.json", kMine);
  host.AddSymlink("/tmp/link", "/home/me/p/root.json", {.uid = 1000});
  host.AddDirectory("/home/me/open", {.mode = 0777, .uid = 1000, .gid = 1000});
  Add("/home/me/open/mine.json", kMine);
  for (const char* path : {"/home/me/p/group.json", "/home/me/p/all.json", "/home/me/p/other.json",
                           "/home/me/open/mine.json", "/tmp/link"})
    EXPECT_THAT(Named(path), HasSubstr("could have been written by another user")) << path;
  EXPECT_EQ(Named("/tmp/mine.json"), "/tmp/mine.json") << "the sticky bit keeps others from it";
  Add("/home/me/p/twice.json", {.mode = 0644, .uid = 1000, .gid = 1000, .links = 2});
  EXPECT_THAT(Named("/home/me/p/twice.json"), HasSubstr("has more than one name"));
  EXPECT_THAT(Named("/home/me/p"), HasSubstr("is not a regular file"));
}

// Whether the command of a policy may write the file that the policy is in.
class UnwritableTest : public ShellPolicyTest {
 protected:
  [[nodiscard]] std::string Checked(const Lists& lists, const std::string& path) {
    const Result<Policy> policy = Resolve(ConfigOf(lists), host, {});
    if (!policy) return policy.error().message;
    const Status checked = CheckUnwritable({.name = "the policy", .path = path}, host, *policy);
    return checked ? "fine" : checked.error().message;
  }
};

TEST_F(UnwritableTest, NorADirectoryAboveIt) {
  const std::string path = "/home/me/p/one.json";
  Add(path, kMine).AddDirectory("/home/me/work", {.uid = 1000, .gid = 1000});
  EXPECT_EQ(Checked({.rw = {"/home/me/work"}}, path), "fine");
  EXPECT_EQ(Checked({.rw = {"/home/me/work"}, .ro = {"/home/me/p"}}, path), "fine");
  for (const Lists& lists :
       {Lists{.rw = {"/home/me/p"}}, Lists{.rw = {path}}, Lists{.rw = {"/home/me"}},
        Lists{.rw = {"/home/me"}, .ro = {"/home/me/p"}}, Lists{.rw = {"/home/me"}, .denied = {path}}})
    EXPECT_THAT(Checked(lists, path), HasSubstr("is where the command may write"));
}

TEST_F(UnwritableTest, NorByAnotherNameNorThroughALink) {
  Add("/home/me/p/one.json", kMine).AddDirectory("/home/me/work", {.uid = 1000, .gid = 1000});
  host.AddSymlink("/home/me/work/link", "/home/me/p", {.uid = 1000});
  EXPECT_THAT(Checked({.rw = {"/home/me/work"}}, "/home/me/work/link/one.json"),
              HasSubstr("('/home/me/work/link')"));
  host.AddBind("/home/me/bound", "/home/me/p");
  EXPECT_THAT(Checked({.rw = {"/home/me/bound"}}, "/home/me/p/one.json"),
              HasSubstr("is where the command may write"));
}

}  // namespace
}  // namespace mxc::shell_test
