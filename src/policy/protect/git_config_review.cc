#include "policy/protect/git_config_review.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mxc/limits.h"
#include "policy/protect/git_safe_config.h"

namespace mxc {
namespace {

// A repository on this machine that no command can have made, with hooks that run when it is pushed to: it is
// outside of the grants. What an earlier run left in them was there before this one, too.
bool IsKnownRepository(const GitSnapshot& before, PathWalker& walker, const std::string& path) {
  const auto granted = [&](const std::string& place) {
    return std::any_of(before.roots.begin(), before.roots.end(),
                       [&](const std::string& root) { return IsAtOrBelow(place, root); });
  };
  const Result<Walked> walked = walker.Walk(path);
  if (!walked || !walked->status || walked->status->object.type != FileType::kDirectory) return false;
  return !granted(walked->path) && std::none_of(walked->links.begin(), walked->links.end(),
                                                [&](const LinkMet& met) { return granted(met.link.path); });
}

}  // namespace

std::vector<GitChange> ReviewGitConfigs(const GitSnapshot& before, const Host& host, PathWalker& walker) {
  const KnownRepository known = [&](const std::string& path) {
    return IsKnownRepository(before, walker, path);
  };
  std::vector<GitChange> changes;
  for (const GitSnapshot::Text& config : before.configs) {
    const Lookup lookup = host.LookAt(config.path);
    std::string why = "it is no file of its own";
    if (lookup.status && lookup.status->object.type == FileType::kRegular) {
      // Read first: what has a second name is replaced by a copy, which has none.
      const Result<std::string> text = host.ReadFile(config.path, kMaxGitConfigBytes + 1);
      why = text ? UnsafeChange(config.text, *text, known) : text.error().message;
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
