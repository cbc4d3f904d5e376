#include "backends/appcontainer/access.h"

#include <string>
#include <string_view>

#include "mxc/windows/path.h"

namespace mxc::appcontainer {
namespace {

Status CheckRule(const PathRule& rule, const WindowsFacts& facts) {
  const std::string name = "'" + rule.path + "'";
  if (!IsOnDrive(rule.path)) {
    return Conflict(name + " is not on a drive of this machine", rule.pointer,
                    "an AppContainer is held by lists of local files; copy what it needs to a drive");
  }
  if (!IsRootOfMany(rule.path, facts)) return Done{};
  return Conflict(
      name + " is the root of a drive, of Windows or of a profile: its entries would reach every file below",
      rule.pointer,
      rule.access == Access::kReadOnly && IsDriveRoot(rule.path)
          ? "name the directories below it that the command needs; for a look at the root itself: mxc-exec "
            "--prepare-system-drive"
          : "name the directories below it that the command needs");
}

// The nearest rule above `rule`; rules stand behind those of their ancestors.
const PathRule* Above(const std::vector<PathRule>& rules, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    if (IsAtOrBelowOnWindows(rules[at].path, rules[i].path)) return &rules[i];
  }
  return nullptr;
}

AclChange Entry(const PathRule& rule, AceType type, std::uint32_t mask) {
  const bool file = rule.object && rule.object->type != FileType::kDirectory;
  return {.path = rule.path, .type = type, .mask = mask, .inherited = !file, .pointer = rule.pointer};
}

// What is denied and not there cannot be held by a list; where nothing can be created it needs none.
Status AddDenial(const PathRule& rule, const PathRule* above, bool as_written, std::vector<AclChange>& acl) {
  const bool missing = !rule.object && !as_written;
  if (missing && above != nullptr && above->access == Access::kReadWrite) {
    return Conflict("'" + rule.path + "' is denied and does not exist, below a directory that is read-write",
                    rule.pointer,
                    "create it first: a list needs an object; or deny the directory it would stand in");
  }
  if (!missing) acl.push_back(Entry(rule, AceType::kDeny, file_access::kEverything));
  return Done{};
}

}  // namespace

bool IsRootOfMany(std::string_view path, const WindowsFacts& facts) {
  if (IsDriveRoot(path) || IsSameWindowsName(path, facts.windows_directory)) return true;
  const std::string& profile = facts.profile_directory;
  if (profile.empty()) return false;
  return IsSameWindowsName(path, profile) || IsSameWindowsName(path, ParentOnWindows(profile));
}

bool IsReadByEveryContainer(const PathRule& rule, const WindowsFacts& facts) {
  return rule.access == Access::kReadOnly && !facts.windows_directory.empty() &&
         IsAtOrBelowOnWindows(rule.path, facts.windows_directory);
}

bool BfsHolds(const Policy& policy, bool least_privilege, const WindowsFacts& facts) {
  if (!policy.windows.bfs_allowed || facts.bfscfg.empty()) return false;
  const auto needs_nothing = [&](const PathRule& rule) {
    return !least_privilege && IsReadByEveryContainer(rule, facts);
  };
  bool grants = false;
  for (std::size_t i = 0; i < policy.paths.size(); ++i) {
    const PathRule& rule = policy.paths[i];
    const PathRule* above = Above(policy.paths, i);
    if (above != nullptr && above->access != rule.access && !needs_nothing(*above)) return false;
    const bool denied = rule.access == Access::kDenied;
    if (denied && !policy.windows.acl_changes_allowed && (rule.object || policy.as_written)) return false;
    grants = grants || !(denied || needs_nothing(rule));
  }
  return grants;
}

Result<BfsAccess> BfsAccessFor(const Policy& policy, bool least_privilege, const WindowsFacts& facts) {
  BfsAccess access;
  for (const PathRule& rule : policy.paths) {
    if (!least_privilege && IsReadByEveryContainer(rule, facts)) continue;
    if (Status checked = CheckRule(rule, facts); !checked) return checked.error();
    if (rule.access != Access::kDenied) {
      access.grants.push_back(
          {.path = rule.path, .read_write = rule.access == Access::kReadWrite, .pointer = rule.pointer});
    } else if (Status added = AddDenial(rule, nullptr, policy.as_written, access.denials); !added) {
      return added.error();
    }
  }
  return access;
}

Result<std::vector<AclChange>> AclFor(const Policy& policy, bool least_privilege, const WindowsFacts& facts) {
  std::vector<AclChange> acl;
  for (std::size_t i = 0; i < policy.paths.size(); ++i) {
    const PathRule& rule = policy.paths[i];
    const PathRule* above = Above(policy.paths, i);
    if (!least_privilege && above == nullptr && IsReadByEveryContainer(rule, facts)) continue;
    if (Status checked = CheckRule(rule, facts); !checked) return checked.error();
    switch (rule.access) {
      case Access::kReadWrite:
        acl.push_back(Entry(rule, AceType::kAllow, file_access::kReadWrite));
        break;
      case Access::kReadOnly:
        if (above != nullptr && above->access == Access::kReadWrite)
          acl.push_back(Entry(rule, AceType::kDeny, file_access::kChange));
        acl.push_back(Entry(rule, AceType::kAllow, file_access::kRead));
        break;
      case Access::kDenied:
        if (Status added = AddDenial(rule, above, policy.as_written, acl); !added) return added.error();
        break;
    }
  }
  return acl;
}

}  // namespace mxc::appcontainer
