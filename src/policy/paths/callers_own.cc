#include "policy/paths/callers_own.h"

#include <cstdint>

namespace mxc {

bool IsCallersOwn(const Host& host, PathWalker& walker, const std::string& path) {
  constexpr std::uint32_t kWriteByGroup = 020, kWriteByOther = 02, kSticky = 01000;
  const Identity caller = host.Caller();
  for (std::string at = path;; at = std::string(ParentOf(at))) {
    const Lookup& lookup = walker.LookAt(at);
    if (!lookup.status || (lookup.status->uid != 0 && lookup.status->uid != caller.uid)) return false;
    const std::uint32_t mode = lookup.status->mode;
    // A group of one user's own has no other members.
    const bool own_group =
        lookup.status->gid == 0 || (lookup.status->gid == caller.gid && caller.gid == caller.uid);
    const bool others = (mode & kWriteByOther) != 0 || ((mode & kWriteByGroup) != 0 && !own_group);
    const bool guarded = at != path && lookup.status->uid == 0 && (mode & kSticky) != 0;
    if (others && !guarded) return false;
    if (at == "/") return true;
  }
}

}  // namespace mxc
