#include "policy/paths/baseline.h"

#include <algorithm>
#include <utility>

namespace mxc {
namespace {

constexpr std::string_view kHostKeys = "/etc/ssh";
// The row that is only ever a link: /run itself is not in the baseline.
constexpr std::string_view kOldRun = "/var/run";

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

void AddLink(const RuleSet& rules, const PathLink& link, std::vector<PathLink>& links) {
  if (rules.Visible(ParentOf(link.path))) return;
  for (const PathLink& known : links) {
    if (known.path == link.path) return;
  }
  links.push_back(link);
}

// Adds the target of a row, and the links on the way: `/bin` of a merged /usr is a link to another row.
void AddRow(PathWalker& walker, std::string_view path, RuleSet& rules, std::vector<PathLink>& links) {
  Result<Walked> walked = walker.Walk(path);
  if (!walked || !walked->status || IsNeverFromHost(walked->path)) return;
  for (const LinkMet& met : walked->links) AddLink(rules, met.link, links);
  if (path == kOldRun || DecidedByPolicy(rules, walked->path) || rules.Visible(walked->path)) return;
  rules.Add({.path = std::move(walked->path), .object = walked->status->object, .origin = Origin::kBaseline});
}

// Denies the target of `path` for the baseline. Returns the rule, or nullptr if nothing new is denied.
const PathRule* Mask(PathWalker& walker, RuleSet& rules, const std::string& path) {
  Result<Walked> walked = walker.Walk(path);
  if (!walked || !walked->status) return nullptr;
  const std::string canonical = walked->path;
  const bool added = rules.Add({.path = std::move(walked->path),
                                .access = Access::kDenied,
                                .object = walked->status->object,
                                .origin = Origin::kBaseline});
  return added ? rules.Find(canonical) : nullptr;
}

// Every mask is one more mount of a launch, so an empty file or directory gets none.
bool IsEmpty(const Host& host, PathWalker& walker, const std::string& path) {
  const Lookup& lookup = walker.LookAt(path);
  if (!lookup.status) return false;
  if (lookup.Is(FileType::kRegular)) return lookup.status->size == 0;
  if (!lookup.Is(FileType::kDirectory)) return false;
  const Result<std::vector<std::string>> names = host.ListDirectory(path);
  return names && names->empty();
}

}  // namespace

bool IsInBaseline(std::string_view path) {
  const auto holds = [&](const BaselineRow& row) { return IsAtOrBelow(path, row.path); };
  const std::span<const BaselineRow> shown = BaselineRows();
  const std::span<const BaselineRow> hidden = HiddenRows();
  return std::any_of(shown.begin(), shown.end(), holds) && std::none_of(hidden.begin(), hidden.end(), holds);
}

bool DecidedByPolicy(const RuleSet& rules, std::string_view path) {
  const PathRule* rule = rules.Covering(path);
  return rule != nullptr && rule->origin == Origin::kPolicy;
}

void MaskSecret(const Host& host, PathWalker& walker, RuleSet& rules, const std::string& path) {
  // Most do not exist, and access(2) is cheaper than the lookup in the rules.
  if (!host.MayAccess(path, Access::kReadOnly) || !rules.Visible(path)) return;
  if (!IsEmpty(host, walker, path)) Mask(walker, rules, path);
}

void AddBaseline(const Host& host, PathWalker& walker, RuleSet& rules, std::vector<PathLink>& links) {
  // A rule of the policy decides about everything below it; the baseline adds the rest.
  for (const BaselineRow& row : BaselineRows()) {
    if (!DecidedByPolicy(rules, row.path)) AddRow(walker, row.path, rules, links);
  }
  for (const BaselineRow& row : HiddenRows()) {
    if (!DecidedByPolicy(rules, row.path)) Mask(walker, rules, std::string(row.path));
  }
  AddSecretMasks(host, walker, rules);
}

void AddSecretMasks(const Host& host, PathWalker& walker, RuleSet& rules) {
  for (const BaselineRow& row : SecretRows()) MaskSecret(host, walker, rules, std::string(row.path));
  if (!rules.Visible(kHostKeys)) return;
  const Result<std::vector<std::string>> names = host.ListDirectory(std::string(kHostKeys));
  if (!names) return;
  for (const std::string& name : *names) {
    if (!StartsWith(name, "ssh_host_") || !EndsWith(name, "_key")) continue;
    MaskSecret(host, walker, rules, JoinPath(kHostKeys, name));
  }
}

}  // namespace mxc
