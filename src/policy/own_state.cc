#include "policy/own_state.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/runtime_places.h"
#include "policy/entries.h"

namespace mxc {
namespace {

struct Place {
  std::string path = {};  // as written
  bool sockets = true;    // false: images, which a read-only grant may show
  bool deep = false;      // directories above it may be missing, too
};

bool IsAbsolute(const std::optional<std::string>& path) { return path && path->starts_with('/'); }

// Places that a run with another environment has written down.
void AddNoted(const Host& host, PathWalker& walker, const std::string& directory,
              std::vector<Place>& places) {
  if (!walker.LookAt(directory).status) return;
  const Result<std::vector<std::string>> names = host.ListDirectory(directory);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!name.starts_with(kPlaceNote)) continue;
    Result<std::string> path = host.ReadLink(JoinPath(directory, name));
    const bool there = path && path->starts_with('/') && walker.LookAt(*path).status;
    if (there) places.push_back({.path = std::move(*path)});
  }
}

std::vector<Place> PlacesOf(const Host& host, PathWalker& walker) {
  const std::uint32_t uid = host.Caller().uid;
  std::vector<Place> places = {{.path = FixedRuntimePlace(uid)}, {.path = SessionRuntimePlace(uid)}};
  AddNoted(host, walker, FixedRuntimePlace(uid), places);
  if (const auto runtime = host.Environment("XDG_RUNTIME_DIR"); IsAbsolute(runtime))
    places.push_back({.path = RuntimePlaceIn(*runtime), .deep = true});
  if (const auto home = host.Environment("HOME"); IsAbsolute(home) && uid != 0) {
    for (const char* below : {"/.local/share/mxc-exec", "/.cache/mxc-exec"})
      places.push_back({.path = *home + below, .sockets = false, .deep = true});
  }
  if (uid != 0) return places;
  for (const char* path : {"/var/lib/mxc-exec", "/var/cache/mxc-exec"})
    places.push_back({.path = path, .sockets = false});
  return places;
}

// The nearest directory above that exists: whoever may not write there cannot make it, inside or out.
bool CanBeMade(const Host& host, PathWalker& walker, const Place& place, const std::string& path) {
  std::string above{ParentOf(path)};
  if (!place.deep && !walker.LookAt(above).status) return false;
  while (!walker.LookAt(above).status && above != "/") above = ParentOf(above);
  return host.MayAccess(above, Access::kReadWrite);
}

Error Granted(const PathRule& rule, const std::string& path) {
  return Conflict(
      Quoted(rule.path) + ": what mxc-exec keeps of sandboxes in " + Quoted(path) + " never appears inside",
      rule.pointer, "remove the entry");
}

Error IsALink(const PathRule& grant, const std::string& path) {
  return Conflict(Quoted(path) + ", below the read-write " + Quoted(grant.path) +
                      ", is a symbolic link in the place of a directory of mxc-exec's own",
                  grant.pointer, "remove the link; see who has put it there");
}

// `path` is one of the names of `place`.
Status Deny(const Host& host, PathWalker& walker, RuleSet& rules, const Place& place,
            const std::string& path) {
  for (const std::string& granted : rules.PathsAtOrBelow(path)) {
    const PathRule& rule = *rules.Find(granted);
    if (place.sockets && rule.access != Access::kDenied && rule.origin == Origin::kPolicy)
      return Granted(rule, path);
  }
  const PathRule* grant = rules.Covering(path);
  if (grant == nullptr || grant->access == Access::kDenied || grant->path == path) return Done{};
  const bool writable = grant->access == Access::kReadWrite;
  if (!place.sockets && !writable) return Done{};
  const Lookup& lookup = walker.LookAt(path);
  if (lookup.status && lookup.status->object.type == FileType::kSymlink)
    return writable ? Status(IsALink(*grant, path)) : Done{};
  if (!lookup.status && lookup.failure != LookupFailure::kMissing) return Done{};
  if (!lookup.status && !CanBeMade(host, walker, place, path)) return Done{};
  PathRule rule{.path = path, .access = Access::kDenied, .origin = Origin::kBaseline};
  if (lookup.status) {
    rule.object = lookup.status->object;
  } else {
    rule.own_directory = place.sockets ? 0700 : 0755;
  }
  rules.Add(std::move(rule));
  return Done{};
}

Status DenyNames(const Host& host, const MountNames& names, PathWalker& walker, RuleSet& rules,
                 const Place& place) {
  const Result<Walked> above = walker.Walk(ParentOf(place.path));
  if (!above) return Done{};  // nor can a run of ours look there
  std::vector<std::string> all = {JoinPath(above->path, place.path.substr(place.path.rfind('/') + 1))};
  if (names.Any()) {
    const std::optional<std::vector<std::string>> others = names.OthersOf(all.front());
    if (!others) {
      return Conflict(Quoted(all.front()) + ", mxc-exec's own, shows under more names than can be held",
                      "/filesystem", "see what mounts it so often");
    }
    all.insert(all.end(), others->begin(), others->end());
  }
  for (const std::string& path : all) {
    if (Status denied = Deny(host, walker, rules, place, path); !denied) return denied;
  }
  return Done{};
}

}  // namespace

Status DenyOwnState(const Host& host, const MountNames& names, PathWalker& walker, RuleSet& rules) {
  if (!rules.HasGrantOfPolicy()) return Done{};
  for (const Place& place : PlacesOf(host, walker)) {
    if (Status denied = DenyNames(host, names, walker, rules, place); !denied) return denied;
  }
  return Done{};
}

}  // namespace mxc
