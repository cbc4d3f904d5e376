#include "access/host_preparation.h"

#include <algorithm>
#include <array>

#include "mxc/windows/app_container.h"

namespace mxc {
namespace {

// FILE_READ_ATTRIBUTES, FILE_READ_EA, READ_CONTROL, SYNCHRONIZE
constexpr std::uint32_t kLook = 0x120088;

// S-1-15-2-1 and S-1-15-2-2.
std::array<std::string, 2> Identities() {
  const std::string authority{"\1\2\0\0\0\0\0\17\2\0\0\0", 12};
  return {authority + std::string("\1\0\0\0", 4), authority + std::string("\2\0\0\0", 4)};
}

bool Has(const Acl& list, const Ace& wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

}  // namespace

std::vector<Ace> DriveEntries() {
  std::vector<Ace> entries;
  for (const std::string& sid : Identities())
    entries.push_back(EntryFor({.type = AceType::kAllow, .mask = kLook, .inherited = false}, sid));
  return entries;
}

bool IsDriveReady(const Acl& list) {
  const std::vector<Ace> entries = DriveEntries();
  return std::all_of(entries.begin(), entries.end(), [&](const Ace& entry) { return Has(list, entry); });
}

Result<Acl> WithDriveEntries(const Acl& list, const std::string& drive) {
  Acl result = list;
  for (const Ace& entry : DriveEntries()) {
    const Acl own = OwnEntriesOf(list, entry.Sid());
    if (own == Acl{entry}) continue;
    if (!own.empty()) {
      return Conflict("'" + drive + "' has another entry for AppContainers", {},
                      "look at it, and remove it if nobody needs it: icacls " + drive);
    }
    result = With(std::move(result), entry);
  }
  return result;
}

Acl WithoutDriveEntries(const Acl& list) {
  const std::vector<Ace> entries = DriveEntries();
  Acl result;
  std::copy_if(list.begin(), list.end(), std::back_inserter(result),
               [&](const Ace& ace) { return !Has(entries, ace); });
  return result;
}

bool AreSame(const Acl& left, const Acl& right) {
  return left.size() == right.size() &&
         std::is_permutation(left.begin(), left.end(), right.begin(), right.end());
}

bool LetsContainersIn(const Acl& list) {
  const auto ids = Identities();
  return std::all_of(ids.begin(), ids.end(), [&](const std::string& sid) {
    return std::any_of(list.begin(), list.end(),
                       [&](const Ace& ace) { return ace.type == 0 && ace.Sid() == sid && ace.Mask() != 0; });
  });
}

}  // namespace mxc
