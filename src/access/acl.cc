#include "access/acl.h"

#include <algorithm>
#include <array>
#include <utility>

namespace mxc {
namespace {

constexpr std::uint8_t kAllowed = 0;
constexpr std::uint8_t kDenied = 1;
// The kinds that deny: plain, for an object type, with a callback, both.
constexpr std::array<std::uint8_t, 4> kDenials = {1, 6, 10, 12};
constexpr std::uint8_t kInheritable = 0x1 | 0x2;  // OBJECT_INHERIT_ACE | CONTAINER_INHERIT_ACE
constexpr std::uint8_t kInherited = 0x10;
constexpr std::size_t kMaskBytes = 4;

bool IsOwnOf(const Ace& ace, std::string_view sid) {
  return !ace.IsInherited() && (ace.type == kAllowed || ace.type == kDenied) && ace.Sid() == sid;
}

}  // namespace

bool Ace::IsInherited() const { return (flags & kInherited) != 0; }

bool Ace::IsDenial() const { return std::find(kDenials.begin(), kDenials.end(), type) != kDenials.end(); }

std::uint32_t Ace::Mask() const {
  std::uint32_t mask = 0;
  for (std::size_t i = kMaskBytes; i-- > 0 && body.size() >= kMaskBytes;)
    mask = mask << 8U | static_cast<unsigned char>(body[i]);
  return mask;
}

std::string_view Ace::Sid() const {
  return body.size() < kMaskBytes ? std::string_view() : std::string_view(body).substr(kMaskBytes);
}

Ace EntryFor(const AclChange& change, std::string_view sid) {
  Ace ace{.type = change.type == AceType::kAllow ? kAllowed : kDenied,
          .flags = change.inherited ? kInheritable : std::uint8_t{0}};
  for (std::size_t i = 0; i < kMaskBytes; ++i)
    ace.body += static_cast<char>(static_cast<unsigned char>(change.mask >> (8 * i)));
  ace.body += sid;
  return ace;
}

Acl With(Acl list, Ace entry) {
  const bool first = entry.IsDenial();
  const auto place =
      first ? list.begin()
            : std::find_if(list.begin(), list.end(), [](const Ace& ace) { return ace.IsInherited(); });
  list.insert(place, std::move(entry));
  return list;
}

Acl OwnEntriesOf(const Acl& list, std::string_view sid) {
  Acl own;
  std::copy_if(list.begin(), list.end(), std::back_inserter(own),
               [&](const Ace& ace) { return IsOwnOf(ace, sid); });
  return own;
}

Acl WithOwnEntries(const Acl& list, std::string_view sid, const Acl& entries) {
  Acl result;
  std::copy_if(list.begin(), list.end(), std::back_inserter(result),
               [&](const Ace& ace) { return !IsOwnOf(ace, sid); });
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
    result = With(std::move(result), *entry);
  return result;
}

}  // namespace mxc
