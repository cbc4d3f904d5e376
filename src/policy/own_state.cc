#include "policy/own_state.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/runtime_places.h"
#include "mxc/limits.h"
#include "policy/own_places.h"
#include "policy/paths/entries.h"
#include "policy/paths/placeholders.h"
#include "policy/protect/protector.h"

namespace mxc {
namespace {

// The nearest directory above that exists: whoever may not write there cannot make it, inside or out.
bool CanBeMade(const Host& host, PathWalker& walker, const OwnPlace& place, const std::string& path) {
  std::string above{ParentOf(path)};
  if (!place.deep && !walker.LookAt(above).status) return false;
  while (!walker.LookAt(above).status && above != "/") above = ParentOf(above);
  return host.MayAccess(above, Access::kReadWrite);
}

// An image that is being unpacked: tar writes there, in a sandbox, and no run uses it before it is done.
bool IsUnfinishedImage(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1).starts_with(kUnfinishedImage);
}

Error Granted(const PathRule& rule, const OwnPlace& place, const std::string& path) {
  const std::string why =
      place.sockets ? ": what mxc-exec keeps of sandboxes in " + Quoted(path) + " never appears inside"
                    : ": what mxc-exec keeps in " + Quoted(path) + " is no command's to write";
  return Conflict(Quoted(rule.path) + why, rule.pointer, "remove the entry");
}

Error IsALink(const PathRule& grant, const std::string& path) {
  return Conflict(Quoted(path) + ", below the read-write " + Quoted(grant.path) +
                      ", is a symbolic link in the place of a directory of mxc-exec's own",
                  grant.pointer, "remove the link");
}

// One of the names of a place that no grant may show.
Status Deny(const Host& host, PathWalker& walker, RuleSet& rules, const OwnPlace& place,
            const std::string& path) {
  for (const std::string& granted : rules.PathsAtOrBelow(path)) {
    const PathRule& rule = *rules.Find(granted);
    if (rule.access != Access::kDenied && rule.origin == Origin::kPolicy) return Granted(rule, place, path);
  }
  const PathRule* grant = rules.Covering(path);
  if (grant == nullptr || grant->access == Access::kDenied || grant->path == path) return Done{};
  const Lookup& lookup = walker.LookAt(path);
  if (lookup.status && lookup.status->object.type == FileType::kSymlink)
    return grant->access == Access::kReadWrite ? Status(IsALink(*grant, path)) : Done{};
  if (!lookup.status && lookup.failure != LookupFailure::kMissing) return Done{};
  if (!lookup.status && !CanBeMade(host, walker, place, path)) return Done{};
  PathRule rule{.path = path, .access = Access::kDenied, .origin = Origin::kBaseline};
  if (lookup.status) {
    rule.object = lookup.status->object;
  } else {
    rule.own_directory = 0700;
  }
  rules.Add(std::move(rule));
  return Done{};
}

// One of the names of a place that a grant may show, and no command may write.
Status Keep(PathWalker& walker, const RuleSet& rules, Protector& protector, const OwnPlace& place,
            const std::string& path) {
  for (const std::string& granted : rules.PathsAtOrBelow(path)) {
    const PathRule& rule = *rules.Find(granted);
    if (rule.access == Access::kReadWrite && rule.origin == Origin::kPolicy && !IsUnfinishedImage(granted))
      return Granted(rule, place, path);
  }
  const PathRule* grant = rules.Covering(path);
  if (grant == nullptr || grant->access != Access::kReadWrite || grant->path == path) return Done{};
  const Lookup& lookup = walker.LookAt(path);
  if (lookup.status && lookup.status->object.type == FileType::kSymlink) return IsALink(*grant, path);
  while (grant->origin == Origin::kProtection && grant->path != "/")
    grant = rules.Covering(ParentOf(grant->path));
  protector.Begin({.preset = Preset::kGit, .pointer = grant->pointer});
  protector.Protect(path, WhenMissing::kDirectory);
  return protector.End();
}

// What the caller's next call reads or runs: it stays as it is, and keeps its place below the grant.
Status KeepFile(PathWalker& walker, const RuleSet& rules, Protector& protector, const std::string& file) {
  const Result<Walked> walked = walker.Walk(file);
  if (!walked || !walked->status) return Done{};
  const PathRule* grant = rules.Covering(walked->path);
  if (grant != nullptr && grant->path == walked->path && grant->access == Access::kReadWrite &&
      grant->origin == Origin::kPolicy && walked->status->object.type == FileType::kRegular) {
    return Conflict(Quoted(walked->path) + ": whoever could write it would choose what the next call runs",
                    grant->pointer, "remove the entry");
  }
  protector.Begin({.preset = Preset::kGit, .pointer = grant != nullptr ? grant->pointer : "/filesystem"});
  protector.Protect(file, WhenMissing::kLeft);
  std::string_view above = ParentOf(walked->path);
  for (; above != "/" && rules.Find(above) == nullptr; above = ParentOf(above))
    protector.Pin(std::string(above));
  return protector.End();
}

Result<std::vector<std::string>> NamesOf(const MountNames& names, PathWalker& walker, const OwnPlace& place) {
  const Result<Walked> above = walker.Walk(ParentOf(place.path));
  if (!above) return std::vector<std::string>{};  // nor can a run of ours look there
  std::vector<std::string> all = {JoinPath(above->path, place.path.substr(place.path.rfind('/') + 1))};
  if (!names.Any()) return all;
  const std::optional<std::vector<std::string>> others = names.OthersOf(all.front());
  if (!others) {
    return Conflict(Quoted(all.front()) + ", mxc-exec's own, has more than " +
                        std::to_string(kMaxSecondNames) + " names through mounts",
                    "/filesystem", "unmount some of them, or grant less");
  }
  all.insert(all.end(), others->begin(), others->end());
  return all;
}

}  // namespace

Status DenyOwnState(const Host& host, const MountNames& names, const std::string& policy_file,
                    PathWalker& walker, RuleSet& rules, std::vector<Warning>& warnings) {
  if (!rules.HasGrantOfPolicy()) return Done{};
  const WithoutPlaceholders seen(host, rules);
  PathWalker seen_walker(seen);
  Protector protector(seen, names, seen_walker, rules, warnings);
  for (const OwnPlace& place : FindOwnPlaces(host, walker)) {
    const Result<std::vector<std::string>> all = NamesOf(names, walker, place);
    if (!all) return all.error();
    for (const std::string& path : *all) {
      Status done = place.sockets ? Deny(host, walker, rules, place, path)
                                  : Keep(walker, rules, protector, place, path);
      if (!done) return done;
    }
  }
  if (rules.PathsWith(Access::kReadWrite).empty()) return Done{};
  std::vector<std::string> files = FindOwnFiles(host);
  if (!policy_file.empty()) files.push_back(policy_file);
  for (const std::string& file : files) {
    if (Status kept = KeepFile(walker, rules, protector, file); !kept) return kept;
  }
  return Done{};
}

}  // namespace mxc
