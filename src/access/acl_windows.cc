#include "access/acl_windows.h"

// clang-format off
#include <windows.h>
#include <aclapi.h>
// clang-format on

#include <cstring>
#include <memory>
#include <vector>

#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr std::size_t kHeader = sizeof(ACE_HEADER);

struct FreeLocal {
  void operator()(void* memory) const { ::LocalFree(memory); }
};

}  // namespace

Acl ListOf(PACL list) {
  Acl result;
  for (DWORD i = 0; list != nullptr && i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (::GetAce(list, i, &entry) == 0) continue;
    const auto* header = static_cast<const ACE_HEADER*>(entry);
    const char* body = static_cast<const char*>(entry) + kHeader;
    result.push_back(
        {.type = header->AceType, .flags = header->AceFlags, .body = {body, header->AceSize - kHeader}});
  }
  return result;
}

// The bytes of a list. Those of each entry are a multiple of four long already.
std::vector<std::byte> BytesOf(const Acl& list) {
  std::size_t size = sizeof(ACL);
  for (const Ace& ace : list) size += kHeader + ace.body.size();
  std::vector<std::byte> bytes(size);
  const ACL head{.AclRevision = ACL_REVISION_DS,
                 .Sbz1 = 0,
                 .AclSize = static_cast<WORD>(size),
                 .AceCount = static_cast<WORD>(list.size()),
                 .Sbz2 = 0};
  std::memcpy(bytes.data(), &head, sizeof head);
  std::byte* at = bytes.data() + sizeof head;
  for (const Ace& ace : list) {
    const ACE_HEADER header{
        .AceType = ace.type, .AceFlags = ace.flags, .AceSize = static_cast<WORD>(kHeader + ace.body.size())};
    std::memcpy(at, &header, kHeader);
    std::memcpy(at + kHeader, ace.body.data(), ace.body.size());
    at += kHeader + ace.body.size();
  }
  return bytes;
}

namespace {

Error Failed(const std::string& what, const std::string& path, DWORD number) {
  return WindowsError(ErrorCode::kSetupFailed, what + " the access control list of '" + path + "'", number);
}

}  // namespace

Result<std::optional<Acl>> WindowsAcls::Read(const std::string& path) {
  PACL list = nullptr;
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  const DWORD number = ::GetNamedSecurityInfoW(Wide(path).data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION,
                                               nullptr, nullptr, &list, nullptr, &descriptor);
  const std::unique_ptr<void, FreeLocal> owned{descriptor};
  if (number == ERROR_FILE_NOT_FOUND || number == ERROR_PATH_NOT_FOUND) return std::optional<Acl>();
  if (number != ERROR_SUCCESS) return Failed("read", path, number);
  // Without a list everybody may do everything, and an entry would take that away.
  if (list == nullptr) {
    return SetupFailed("'" + path + "' has no access control list: everybody may change it",
                       "give it one, or move it to a file system that has them (NTFS)");
  }
  return std::optional<Acl>(ListOf(list));
}

Status WindowsAcls::Write(const std::string& path, const Acl& list) {
  constexpr std::size_t kMost = 65535;
  std::vector<std::byte> bytes = BytesOf(list);
  if (bytes.size() > kMost) return Failed("write", path, ERROR_ALLOTTED_SPACE_EXCEEDED);
  const DWORD number =
      ::SetNamedSecurityInfoW(Wide(path).data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr, nullptr,
                              reinterpret_cast<PACL>(bytes.data()), nullptr);
  return number == ERROR_SUCCESS ? Status(Done{}) : Failed("write", path, number);
}

}  // namespace mxc
