// Grants and repositories in, protected paths out as text: what the tests of the presets have in common.
#pragma once

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/policy_text.h"

namespace mxc {

class Protection : public testing::Test {
 protected:
  void SetUp() override { host_.AddDebian(); }
  void AddRepository(const std::string& git_directory) {
    host_.AddFile(git_directory + "/HEAD").AddDirectory(git_directory + "/objects");
    host_.AddDirectory(git_directory + "/refs").AddFile(git_directory + "/config");
    host_.AddDirectory(git_directory + "/hooks").AddDirectory(git_directory + "/info");
  }
  [[nodiscard]] Result<Policy> With(const Lists& lists,
                                    const std::vector<Preset>& presets = {Preset::kGit}) const {
    Config config = ConfigOf(lists);
    config.protect.clear();
    for (const Preset preset : presets) {
      config.protect.push_back({preset, "/filesystem/protect/" + std::to_string(config.protect.size())});
    }
    return Resolve(config, host_, {});
  }
  // "/srv/a/.git/config", "/srv/a/.git/commondir file", "/srv/a/.git/hooks directory", "/srv/a/refs
  // writable": a line each.
  [[nodiscard]] static std::string Protected(const Result<Policy>& policy) {
    if (!policy) return RefusalOf(policy);
    std::string text;
    for (const PathRule& rule : policy->paths) {
      const bool preset = rule.pointer.starts_with("/filesystem/protect");
      if (rule.origin != Origin::kProtection || !preset) continue;  // the others keep what is ours
      EXPECT_NE(rule.access, Access::kDenied);
      EXPECT_NE(rule.object.has_value(), rule.placeholder_kind.has_value());
      text += rule.path;
      if (rule.access == Access::kReadWrite) text += " writable";
      if (rule.placeholder_kind)
        text += rule.placeholder_kind->type == FileType::kDirectory ? " directory" : " file";
      text += "\n";
    }
    return text;
  }
  [[nodiscard]] std::string Git(const Lists& lists) const { return Protected(With(lists)); }

  FakeHost host_;  // NOLINT: the tests fill it
};

inline std::string Usual(const std::string& git_directory) {
  return git_directory + "/commondir file\n" + git_directory + "/config\n" + git_directory +
         "/config.worktree file\n" + git_directory + "/hooks\n";
}

// One that is known by its shape.
inline std::string Shaped(const std::string& git_directory) {
  return Usual(git_directory) + git_directory + "/objects writable\n" + git_directory + "/refs writable\n";
}

// The lines of `text` that are not below /srv/w/.git.
inline std::string InTree(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("/srv/w/.git/")) kept += line + "\n";
  }
  return kept;
}

}  // namespace mxc
