#include "policy/unreachable.h"

#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "policy/paths/entries.h"

namespace mxc {
namespace {

constexpr std::uint32_t kSearchByGroup = 010;
constexpr std::uint32_t kSearchByOther = 01;

class Unreachable {
 public:
  Unreachable(const Host& host, Containment containment, PathWalker& walker, RuleSet& rules)
      : host_(host), containment_(containment), walker_(walker), rules_(rules) {}

  Status CheckGrants() {
    for (const PathRule& rule : rules_.All()) {
      if (rule.origin != Origin::kPolicy || rule.access == Access::kDenied) continue;
      const std::vector<std::string> closed = ClosedAbove(rule.path);
      if (closed.empty()) continue;
      return Conflict(Quoted(rule.path) + " is below " + Quoted(closed.front()) +
                          ", where its owner lets nobody else in: " + std::string(Name(containment_)) +
                          " cannot get there for root",
                      rule.pointer, "run as its owner, or use containment 'namespaces'");
    }
    return Done{};
  }

  // Once for each directory: a repository has many protected files in few directories.
  Status Collect(std::string_view path) {
    if (!seen_.insert(std::string(ParentOf(path))).second) return Done{};
    for (std::string& directory : ClosedAbove(path)) {
      const PathRule* grant = rules_.Covering(directory);
      if (grant == nullptr || grant->access == Access::kDenied) continue;
      if (grant->path != directory) {
        denied_.insert(std::move(directory));
        return Done{};
      }
      return Conflict(Quoted(directory) + " is granted, but its owner lets nobody else in, and inside root " +
                          "has no privileges: what stands below it (" + Quoted(path) + ") cannot be held",
                      grant->pointer, "run as its owner, or grant the directories below it that are needed");
    }
    return Done{};
  }

  void Deny() {
    for (const std::string& directory : denied_) {
      rules_.Add(
          {.path = directory, .access = Access::kDenied, .object = walker_.LookAt(directory).status->object});
    }
  }

 private:
  // The user namespace of a sandbox maps root and its group alone.
  [[nodiscard]] bool IsClosed(const std::string& directory) {
    const Lookup& lookup = walker_.LookAt(directory);
    if (!lookup.status || lookup.status->uid == host_.Caller().uid) return false;
    const bool group = lookup.status->gid == host_.Caller().gid;
    return (lookup.status->mode & (group ? kSearchByGroup : kSearchByOther)) == 0;
  }

  // The directories above `path` that are closed, outermost first.
  [[nodiscard]] std::vector<std::string> ClosedAbove(std::string_view path) {
    std::vector<std::string> closed;
    for (std::size_t at = path.find('/', 1); at != std::string_view::npos; at = path.find('/', at + 1)) {
      std::string directory{path.substr(0, at)};
      if (IsClosed(directory)) closed.push_back(std::move(directory));
    }
    return closed;
  }

  const Host& host_;
  Containment containment_;
  PathWalker& walker_;
  RuleSet& rules_;
  std::set<std::string> denied_ = {};
  std::unordered_set<std::string> seen_ = {};  // directories whose parents were checked
};

}  // namespace

Status DenyUnreachable(const Host& host, Containment containment, bool launcher_copies,
                       const MountNames& names, PathWalker& walker, RuleSet& rules) {
  if (!host.Caller().IsRoot() || !rules.HasGrantOfPolicy()) return Done{};
  Unreachable unreachable(host, containment, walker, rules);
  if (!launcher_copies) {
    if (Status checked = unreachable.CheckGrants(); !checked) return checked;
  }
  if (!TraitsOf(containment).mounts) return Done{};
  for (const PathRule& rule : rules.All()) {
    const std::string& place = rule.first_missing.empty() ? rule.path : rule.first_missing;
    if (Status collected = unreachable.Collect(place); !collected) return collected;
  }
  for (const Mount* mount : names.Visible()) {
    if (Status collected = unreachable.Collect(mount->path); !collected) return collected;
  }
  unreachable.Deny();
  return Done{};
}

}  // namespace mxc
