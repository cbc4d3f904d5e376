#include "policy/paths/placeholders.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/plan.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

bool HasPlaceholderText(const Host& host, const std::string& path) {
  const std::size_t longest = std::max_element(kPlaceholderTexts.begin(), kPlaceholderTexts.end(),
                                               [](std::string_view left, std::string_view right) {
                                                 return left.size() < right.size();
                                               })
                                  ->size();
  const Result<std::string> text = host.ReadFile(path, longest + 1);
  return text &&
         std::find(kPlaceholderTexts.begin(), kPlaceholderTexts.end(), *text) != kPlaceholderTexts.end();
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as kPlaceholderLevels
bool IsPlaceholderAt(const Host& host, const std::string& path, const Lookup& lookup, int levels) {
  if (!lookup.status) return false;
  const FileStatus& status = *lookup.status;
  if (status.object.type == FileType::kRegular) {
    if (status.mode == kPlaceholderMode) return status.size == 0;
    return status.mode == kPlaceholderFileMode && HasPlaceholderText(host, path);
  }
  if (status.object.type != FileType::kDirectory || status.mode != kPlaceholderDirectoryMode || levels == 0)
    return false;
  const Result<std::vector<DirectoryEntry>> entries = host.ListEntries(path, {});
  return entries && entries->size() <= kPlaceholderEntries &&
         std::all_of(entries->begin(), entries->end(), [&](const DirectoryEntry& entry) {
           const std::string within = JoinPath(path, entry.name);
           return IsPlaceholderAt(host, within, host.LookAt(within), levels - 1);
         });
}

}  // namespace

bool IsPlaceholder(const Host& host, const std::string& path, const Lookup& lookup) {
  return IsPlaceholderAt(host, path, lookup, kPlaceholderLevels);
}

WithoutPlaceholders::WithoutPlaceholders(const Host& host, const RuleSet& rules)
    : ForwardingHost(host), rules_(rules) {
  for (const PathRule& rule : rules.All()) {
    if (rule.origin == Origin::kProtection || !rule.object) continue;
    for (std::string_view at = rule.path; at != "/" && leads_.emplace(at).second;) at = ParentOf(at);
  }
}

Lookup WithoutPlaceholders::LookAt(const std::string& path) const {
  Lookup lookup = Asked().LookAt(path);
  const PathRule* const rule = rules_.Find(path);
  const bool named = (rule != nullptr && rule->origin != Origin::kProtection) || leads_.contains(path);
  if (named || !IsPlaceholder(Asked(), path, lookup)) return lookup;
  return {.failure = LookupFailure::kMissing, .reason = "No such file or directory"};
}

}  // namespace mxc
