#include "policy/protect/git_config_review.h"

#include <string>
#include <utility>

#include "mxc/limits.h"
#include "policy/protect/git_safe_config.h"

namespace mxc {
std::vector<GitChange> ReviewGitConfigs(const GitSnapshot& before, const Host& host) {
  std::vector<GitChange> changes;
  for (const GitSnapshot::Text& config : before.configs) {
    const Lookup lookup = host.LookAt(config.path);
    std::string why = "it is no file of its own";
    if (lookup.Is(FileType::kRegular)) {
      // Read first: what has a second name is replaced by a copy, which has none.
      const Result<std::string> text = host.ReadFile(config.path, kMaxGitConfigBytes + 1);
      why = text ? UnsafeChange(config.text, *text) : text.error().message;
    }
    if (why.empty()) continue;
    changes.push_back({.kind = GitChange::Kind::kConfig,
                       .path = config.path,
                       .part = lookup.status ? config.path : "",
                       .text = config.text,
                       .why = std::move(why)});
  }
  return changes;
}

}  // namespace mxc
