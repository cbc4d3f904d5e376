// Presets that a ceiling requires, and grants of what they protect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ceiling/cut_config.h"
#include "tests/unit/protect_text.h"

namespace mxc::ceiling_protect_test {
namespace {

using testing::HasSubstr;

class RequiredProtection : public Protection {
 protected:
  void SetUp() override {
    Protection::SetUp();
    AddRepository("/srv/app/.git");
    host_.AddFile("/srv/app/.git/hooks/pre-commit").AddFile("/srv/app/.bashrc").AddDirectory("/srv/app/src");
    host_.AddFile("/srv/app/.vscode/tasks.json");
  }
  // What may be written, a path a line, and what was cut.
  [[nodiscard]] std::string Writable(const Lists& lists, bool asked = false) const {
    CeilingSection section{.require = {.protect = {Preset::kGit, Preset::kShell, Preset::kEditors}}};
    Config config = ConfigOf(lists);
    config.protect.clear();
    if (asked) config.protect.push_back({.preset = Preset::kGit, .pointer = "/filesystem/protect/0"});
    Cuts cuts;
    EXPECT_TRUE(CutConfig(section, config, cuts).ok());
    const Ceiling ceiling{.file = "ceiling", .sections = {section}};
    const Result<Policy> policy = Resolve(config, host_, {.bounds = {.ceiling = &ceiling, .cuts = &cuts}});
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const PathRule& rule : policy->paths) {
      if (rule.access == Access::kReadWrite && rule.origin == Origin::kPolicy) text += rule.path + "\n";
    }
    for (const Warning& cut : cuts.Warnings()) {
      if (cut.category == "clamped") text += cut.pointer + ": " + cut.message + "\n";
    }
    return text;
  }
};

TEST_F(RequiredProtection, AGrantOfAProtectedNameIsCut) {
  for (const bool asked : {false, true})
    EXPECT_EQ(
        Writable({.rw = {"/srv/app", "/srv/app/.git/config", "/srv/app/.bashrc"}}, asked),
        "/srv/app\n"
        "/filesystem/readwritePaths/1: '/srv/app/.git/config' is protected (/ceiling/require/protect/0)\n"
        "/filesystem/readwritePaths/2: '/srv/app/.bashrc' is protected (/ceiling/require/protect/1)\n");
}

TEST_F(RequiredProtection, SoIsAGrantBelowOne) {
  EXPECT_THAT(
      Writable({.rw = {"/srv/app", "/srv/app/.git/hooks/pre-commit"}}),
      testing::StartsWith("/srv/app\n/filesystem/readwritePaths/1: '/srv/app/.git/hooks/pre-commit'"));
  EXPECT_THAT(Writable({.rw = {"/srv/app/.vscode/tasks.json"}}),
              testing::StartsWith("/filesystem/readwritePaths/0: "));
}

// The grant of nothing else is one of what is protected, too.
TEST_F(RequiredProtection, AGrantByItselfIsCut) {
  for (const std::string path : {"/srv/app/.git/config", "/srv/app/.git/hooks",
                                 "/srv/app/.git/hooks/pre-commit", "/srv/app/.bashrc", "/srv/app/.vscode"})
    EXPECT_THAT(Writable({.rw = {path}}), testing::StartsWith("/filesystem/readwritePaths/0: '" + path + "'"))
        << path;
}

// A file of a linked work tree, of Mercurial, and one that is known by the end of its name.
TEST_F(RequiredProtection, AGrantByItselfIsCutHoweverItsNameIsKnown) {
  host_.AddFile("/srv/app/.git/worktrees/t/commondir", "../..\n").AddFile("/srv/app/.hg/hgrc");
  host_.AddFile("/srv/app/a/x.code-workspace").AddFile("/srv/app/a/y.sublime-project");
  for (const std::string path : {"/srv/app/.git/worktrees/t/commondir", "/srv/app/.hg/hgrc",
                                 "/srv/app/a/x.code-workspace", "/srv/app/a/y.sublime-project"})
    EXPECT_THAT(Writable({.rw = {path}}), testing::StartsWith("/filesystem/readwritePaths/0: '" + path + "'"))
        << path;
}

TEST_F(RequiredProtection, AGrantThroughAMountIsCut) {
  host_.AddBind("/mnt/app", "/srv/app");
  EXPECT_THAT(Writable({.rw = {"/mnt/app/.git/config"}}),
              testing::StartsWith("/filesystem/readwritePaths/0: "));
  EXPECT_THAT(Writable({.rw = {"/srv/app", "/mnt/app/.git/hooks/pre-commit"}}),
              testing::StartsWith("/srv/app\n/filesystem/readwritePaths/1: "));
}

TEST_F(RequiredProtection, OtherGrantsStay) {
  EXPECT_EQ(Writable({.rw = {"/srv/app", "/srv/app/src", "/srv/app/.git/objects"}}),
            "/srv/app\n/srv/app/.git/objects\n/srv/app/src\n");
}

}  // namespace
}  // namespace mxc::ceiling_protect_test
