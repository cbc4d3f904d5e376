#include "tests/support/grant_model.h"

#include "mxc/windows/path.h"

namespace mxc {

GrantModel::GrantModel(const AppContainerSandbox& sandbox, std::vector<std::string> readable_by_all)
    : entries_(sandbox.acl) {
  if (sandbox.least_privilege) return;
  for (std::string& path : readable_by_all)
    entries_.push_back({.path = std::move(path), .type = AceType::kAllow, .mask = file_access::kRead});
}

bool GrantModel::May(std::string_view path, std::uint32_t rights) const {
  for (std::string_view at = path;; at = ParentOnWindows(at)) {
    for (const AceType type : {AceType::kDeny, AceType::kAllow}) {
      for (const AclChange& entry : entries_) {
        const bool reaches = IsSameWindowsName(entry.path, at) && (entry.inherited || at == path);
        if (!reaches || entry.type != type || (entry.mask & rights) == 0) continue;
        if (type == AceType::kDeny) return false;
        rights &= ~entry.mask;
        if (rights == 0) return true;
      }
    }
    if (IsDriveRoot(at)) return false;
  }
}

}  // namespace mxc
