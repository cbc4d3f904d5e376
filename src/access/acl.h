// Access control lists of Windows as data, and the changes a run makes to them.
//
// A list is kept entry by entry as Windows stores it, so that what is not ours comes back bit by bit. The
// order is the canonical one: denials, grants, then what is inherited; the first entry that names a right
// decides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/windows/app_container.h"

namespace mxc {

// ACCESS_ALLOWED_ACE, ACCESS_DENIED_ACE or any other kind.
struct Ace {
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::string body = {};  // behind the header; of the two kinds above: the mask, little-endian, and the SID

  bool operator==(const Ace& other) const = default;
  [[nodiscard]] bool IsInherited() const;
  [[nodiscard]] bool IsDenial() const;
  [[nodiscard]] std::uint32_t Mask() const;    // of the two kinds
  [[nodiscard]] std::string_view Sid() const;  // the same, as bytes
};

using Acl = std::vector<Ace>;

// The entry that `change` stands for, for the identity `sid`.
[[nodiscard]] Ace EntryFor(const AclChange& change, std::string_view sid);
// With the entry at its canonical place.
[[nodiscard]] Acl With(Acl list, Ace entry);
// The entries for `sid` that are the object's own.
[[nodiscard]] Acl OwnEntriesOf(const Acl& list, std::string_view sid);
// With exactly `entries` in the place of those.
[[nodiscard]] Acl WithOwnEntries(const Acl& list, std::string_view sid, const Acl& entries);

// Where the lists of objects are.
class AclStore {
 public:
  AclStore() = default;
  AclStore(const AclStore&) = delete;
  AclStore& operator=(const AclStore&) = delete;
  virtual ~AclStore() = default;

  // None: there is no such object. Errors: kSetupFailed.
  [[nodiscard]] virtual Result<std::optional<Acl>> Read(const std::string& path) = 0;
  // The system hands what is inheritable on to what stands below.
  [[nodiscard]] virtual Status Write(const std::string& path, const Acl& list) = 0;
};

}  // namespace mxc
