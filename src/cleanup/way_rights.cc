#include "cleanup/way_rights.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace mxc {
namespace {

// The tags of <linux/posix_acl.h>, in entries of <linux/posix_acl_xattr.h>.
constexpr unsigned kNamedUser = 0x02;
constexpr unsigned kGroupObject = 0x04;
constexpr unsigned kNamedGroup = 0x08;
constexpr unsigned kMaskTag = 0x10;
constexpr unsigned kOtherTag = 0x20;
constexpr std::size_t kListHeader = 4;
constexpr std::size_t kListEntry = 8;
constexpr unsigned kAllRights = 7;

struct Rights {
  unsigned group = 0;
  unsigned other = 0;
  std::map<std::pair<unsigned, unsigned>, unsigned> named = {};  // by tag and number
};

unsigned Number(std::string_view bytes) {  // little-endian
  unsigned number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8U | static_cast<unsigned char>(bytes[i]);
  return number;
}

Rights RightsOf(const AclAndMode& from, bool masked) {
  constexpr unsigned kGroupBits = 3;
  Rights rights{.group = from.mode >> kGroupBits & kAllRights, .other = from.mode & kAllRights};
  unsigned mask = kAllRights;
  for (std::size_t at = kListHeader; at + kListEntry <= from.acl.size(); at += kListEntry) {
    const unsigned tag = Number(from.acl.substr(at, 2));
    const unsigned given = Number(from.acl.substr(at + 2, 2)) & kAllRights;
    if (tag == kGroupObject) rights.group = given;
    if (tag == kMaskTag) mask = given;
    if (tag == kOtherTag) rights.other = given;
    if (tag == kNamedUser || tag == kNamedGroup)
      rights.named[{tag, Number(from.acl.substr(at + 4, 4))}] = given;
  }
  if (!masked) return rights;
  rights.group &= mask;
  for (auto& [who, given] : rights.named) given &= mask;
  return rights;
}

bool IsMore(const Rights& is, const Rights& was, unsigned guarded) {
  constexpr unsigned kGroupBits = 3;
  const unsigned of_group = guarded >> kGroupBits & kAllRights;
  if ((is.group & ~was.group & of_group) != 0 || (is.other & ~was.other & guarded & kAllRights) != 0)
    return true;
  for (const auto& [who, given] : is.named) {
    const auto had = was.named.find(who);
    if ((given & ~(had == was.named.end() ? was.other : had->second) & of_group) != 0) return true;
  }
  // Who is listed no more has what others have.
  for (const auto& [who, had] : was.named) {
    if (!is.named.contains(who) && (is.other & ~had & of_group) != 0) return true;
  }
  return false;
}

}  // namespace

// What the mask keeps back counts as well: the caller's next `chmod g+w` would set it free.
bool GivesMore(const AclAndMode& now, const AclAndMode& before, unsigned guarded) {
  return IsMore(RightsOf(now, true), RightsOf(before, true), guarded) ||
         IsMore(RightsOf(now, false), RightsOf(before, false), guarded);
}

}  // namespace mxc
