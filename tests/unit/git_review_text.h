// Repositories in, what a run has left out as text.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/protect/git/safe_config.h"
#include "policy/protect/git_review.h"
#include "tests/support/fake_host.h"

namespace mxc {

inline constexpr const char* kPlain = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

class GitReviewed : public testing::Test {
 protected:
  void AddRepository(const std::string& git_directory, const std::string& config = kPlain) {
    host_->AddFile(git_directory + "/HEAD").AddDirectory(git_directory + "/objects");
    host_->AddDirectory(git_directory + "/refs").AddFile(git_directory + "/config", config);
    host_->AddFile(git_directory + "/hooks/pre-commit.sample");
  }
  // "new /srv/w/a/.git", "aside PATH PART", "instructions PATH", "replaced PATH", "link PATH TEXT",
  // "passage PATH INTO", "index PATH INTO", "list PATH INTO", "unlisted PATH PART", "young PATH",
  // "opened PATH", "listed PATH", "found PATH", "staged PATH", "config PATH WHY", a line each.
  [[nodiscard]] std::string Review(const TreeSearch::Opener& open = {}) {
    std::string text;
    std::string gap;
    for (GitSnapshot::Place& place : before_.places) {
      if (place.part.empty()) place.part = place.path;
    }
    std::vector<GitChange> changes = ReviewGitConfigs(before_, *host_);
    for (const GitChange& change : changes) host_->Remove(change.path).AddFile(change.path, change.text);
    const std::vector<GitChange> others = ReviewGit(before_, *host_, gap, open);
    changes.insert(changes.end(), others.begin(), others.end());
    for (const GitChange& change : changes) {
      constexpr const char* kKinds[] = {"new",    "aside",   "instructions", "replaced", "young",
                                        "link",   "passage", "index",        "list",     "unlisted",
                                        "opened", "listed",  "found",        "staged",   "config"};
      text += std::string(kKinds[static_cast<int>(change.kind)]) + " " + change.path;
      const bool unlisted = change.kind == GitChange::Kind::kUnlisted;
      if (change.kind == GitChange::Kind::kTakenUp || unlisted) text += " " + change.part;
      const bool inside = change.kind == GitChange::Kind::kInstructions;
      const bool config = change.kind == GitChange::Kind::kConfig;
      if (!change.into.empty() && !inside && !config) text += " " + change.into;
      if (change.kind == GitChange::Kind::kLinkTurned) text += " " + change.text;
      if (config) text += " " + change.why;
      text += "\n";
    }
    return text + gap;
  }

  std::optional<FakeHost> host_{std::in_place};                                // NOLINT: the tests fill it
  GitSnapshot before_ = {.roots = {"/srv/w"}, .places = {{"/srv/w/a/.git"}}};  // NOLINT
};

}  // namespace mxc
