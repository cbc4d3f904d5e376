// clang-format off
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>
// clang-format on

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "access/acl_windows.h"
#include "access/host_preparation.h"
#include "win32/elevation_windows.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr const wchar_t* kNull = L"\\\\.\\NUL";
// Everybody and AppContainers of both kinds read and write; the label lets those of low integrity write.
constexpr const wchar_t* kNullList =
    L"D:(A;;GRGWGX;;;WD)(A;;FA;;;SY)(A;;FA;;;BA)(A;;GRGX;;;RC)(A;;GRGWGX;;;AC)(A;;GRGWGX;;;S-1-15-2-2)";
constexpr const wchar_t* kNullLabel = L"S:(ML;;NW;;;LW)";

struct FreeDescriptor {
  void operator()(void* memory) const { ::LocalFree(memory); }
};
using Descriptor = std::unique_ptr<void, FreeDescriptor>;

Error Failed(const std::string& what, DWORD number) {
  return WindowsError(ErrorCode::kSetupFailed, what, number);
}

Status NeedAdministrator() {
  if (IsElevated()) return Done{};
  return Unavailable("this changes the machine, which only an administrator may", {},
                     "start it from an elevated prompt");
}

std::string SystemDrive() {
  std::array<wchar_t, MAX_PATH> directory{};
  return ::GetSystemWindowsDirectoryW(directory.data(), MAX_PATH) == 0
             ? ""
             : Narrow(directory.data()).substr(0, 3);
}

Result<std::string> DriveOf(const PreparationOrder& order) {
  std::string drive = order.drive.empty() ? SystemDrive() : order.drive;
  const char letter = static_cast<char>(drive.empty() ? ' ' : drive.front() | 0x20);
  if (drive.size() == 3 && letter >= 'a' && letter <= 'z' && drive.ends_with(":\\")) return drive;
  return Error{.code = ErrorCode::kUsage,
               .message = "'" + drive + "' is no root of a drive",
               .hint = "write it as C:\\"};
}

// Not SetNamedSecurityInfo, which hands the whole list on to every file of the drive once more.
Status WriteRoot(const std::string& drive, const Acl& list) {
  std::vector<std::byte> bytes = BytesOf(list);
  SECURITY_DESCRIPTOR descriptor{};
  ::InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION);
  ::SetSecurityDescriptorDacl(&descriptor, TRUE, reinterpret_cast<PACL>(bytes.data()), FALSE);
  if (::SetFileSecurityW(Wide(drive).c_str(), DACL_SECURITY_INFORMATION, &descriptor) != 0) return Done{};
  return Failed("write the access control list of '" + drive + "'", ::GetLastError());
}

Result<Acl> ReadRoot(const std::string& drive) {
  WindowsAcls lists;
  Result<std::optional<Acl>> list = lists.Read(drive);
  if (!list) return list.error();
  if (*list) return std::move(**list);
  return SetupFailed("there is no drive '" + drive + "'");
}

Result<PreparationReply> ChangeDrive(const PreparationOrder& order) {
  const Result<std::string> drive = DriveOf(order);
  if (!drive) return drive.error();
  if (Status may = NeedAdministrator(); !may) return may.error();
  const Result<Acl> before = ReadRoot(*drive);
  if (!before) return before.error();
  const bool undo = order.what == Preparation::kUndoDrive;
  const Result<Acl> after = undo ? WithoutDriveEntries(*before) : WithDriveEntries(*before, *drive);
  if (!after) return after.error();
  const std::string count =
      std::to_string(undo ? before->size() - after->size() : after->size() - before->size());
  if (*after != *before) {
    if (Status written = WriteRoot(*drive, *after); !written) return written.error();
  }
  return PreparationReply{.text = *drive + ": entries " + (undo ? "removed: " : "added: ") + count + "\n"};
}

Result<UniqueHandle> OpenNull(DWORD more) {
  UniqueHandle device{::CreateFileW(kNull, GENERIC_READ | READ_CONTROL | more,
                                    FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr, OPEN_EXISTING, 0, nullptr)};
  if (!device) return Failed("open the null device", ::GetLastError());
  return device;
}

Result<Descriptor> DescriptorOf(HANDLE device, SECURITY_INFORMATION what) {
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  const DWORD number =
      ::GetSecurityInfo(device, SE_KERNEL_OBJECT, what, nullptr, nullptr, nullptr, nullptr, &descriptor);
  if (number != ERROR_SUCCESS) return Failed("read the access control list of the null device", number);
  return Descriptor{descriptor};
}

// None: everybody may do everything.
std::optional<Acl> ListIn(const Descriptor& descriptor, bool label) {
  BOOL present = FALSE;
  BOOL standard = FALSE;
  PACL list = nullptr;
  const auto get = label ? ::GetSecurityDescriptorSacl : ::GetSecurityDescriptorDacl;
  if (get(descriptor.get(), &present, &list, &standard) == 0 || present == FALSE || list == nullptr)
    return std::nullopt;
  return ListOf(list);
}

Result<Descriptor> Parsed(const wchar_t* text) {
  PSECURITY_DESCRIPTOR descriptor = nullptr;
  if (::ConvertStringSecurityDescriptorToSecurityDescriptorW(text, SDDL_REVISION_1, &descriptor, nullptr) ==
      0)
    return Failed("read a security descriptor", ::GetLastError());
  return Descriptor{descriptor};
}

// A driver stores what a generic right stands for.
Acl Mapped(Acl list) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 3> kGeneric = {
      {{GENERIC_READ, FILE_GENERIC_READ},
       {GENERIC_WRITE, FILE_GENERIC_WRITE},
       {GENERIC_EXECUTE, FILE_GENERIC_EXECUTE}}};
  for (Ace& ace : list) {
    std::uint32_t mask = ace.Mask();
    for (const auto& [generic, rights] : kGeneric) {
      if ((mask & generic) != 0) mask = (mask & ~generic) | rights;
    }
    ace = EntryFor(
        {.type = ace.IsDenial() ? AceType::kDeny : AceType::kAllow, .mask = mask, .inherited = false},
        std::string(ace.Sid()));
  }
  return list;
}

// "dacl-differs", "label-differs"; empty: it is as it should be.
Result<std::string> Drift(HANDLE device) {
  const Result<Descriptor> now = DescriptorOf(device, DACL_SECURITY_INFORMATION | LABEL_SECURITY_INFORMATION);
  const Result<Descriptor> list = Parsed(kNullList);
  const Result<Descriptor> label = Parsed(kNullLabel);
  for (const auto* read : {&now, &list, &label}) {
    if (!*read) return read->error();
  }
  const std::optional<Acl> entries = ListIn(*now, false);
  if (entries && !AreSame(Mapped(*entries), Mapped(*ListIn(*list, false))))
    return std::string("dacl-differs");
  if (!AreSame(ListIn(*now, true).value_or(Acl{}), *ListIn(*label, true)))
    return std::string("label-differs");
  return std::string();
}

Status SetPart(HANDLE device, const wchar_t* text, SECURITY_INFORMATION what) {
  const Result<Descriptor> descriptor = Parsed(text);
  if (!descriptor) return descriptor.error();
  if (::SetKernelObjectSecurity(device, what, descriptor->get()) != 0) return Done{};
  return Failed("write the access control list of the null device", ::GetLastError());
}

Result<PreparationReply> ChangeNull() {
  if (Status may = NeedAdministrator(); !may) return may.error();
  const Result<UniqueHandle> device = OpenNull(WRITE_DAC | WRITE_OWNER);
  if (!device) return device.error();
  const Result<std::string> drift = Drift(device->Get());
  if (!drift) return drift.error();
  if (drift->empty()) return PreparationReply{.text = "null device: no change\n"};
  if (Status set = SetPart(device->Get(), kNullList, DACL_SECURITY_INFORMATION); !set) return set.error();
  if (Status set = SetPart(device->Get(), kNullLabel, LABEL_SECURITY_INFORMATION); !set) return set.error();
  return PreparationReply{.text = "null device: applied, until Windows starts again\n"};
}

Result<PreparationReply> VerifyNull() {
  const Result<UniqueHandle> device = OpenNull(0);
  if (!device) return device.error();
  const Result<std::string> drift = Drift(device->Get());
  if (!drift) return drift.error();
  return PreparationReply{.status = drift->empty() ? 0 : 1,
                          .text = "null device: " + (drift->empty() ? "as it should be" : *drift) + "\n"};
}

Result<PreparationReply> ShowNull() {
  const Result<UniqueHandle> device = OpenNull(0);
  if (!device) return device.error();
  constexpr SECURITY_INFORMATION kAll = OWNER_SECURITY_INFORMATION | GROUP_SECURITY_INFORMATION |
                                        DACL_SECURITY_INFORMATION | LABEL_SECURITY_INFORMATION;
  const Result<Descriptor> now = DescriptorOf(device->Get(), kAll);
  if (!now) return now.error();
  wchar_t* text = nullptr;
  if (::ConvertSecurityDescriptorToStringSecurityDescriptorW(now->get(), SDDL_REVISION_1, kAll, &text,
                                                             nullptr) == 0)
    return Failed("write a security descriptor as text", ::GetLastError());
  const Descriptor owned{text};
  return PreparationReply{.text = Narrow(text) + "\n"};
}

}  // namespace

Result<PreparationReply> PrepareHost(const PreparationOrder& order) {
  switch (order.what) {
    case Preparation::kDrive:
    case Preparation::kUndoDrive:
      return ChangeDrive(order);
    case Preparation::kNullDevice:
      return ChangeNull();
    case Preparation::kVerifyNullDevice:
      return VerifyNull();
    case Preparation::kShowNullDevice:
      return ShowNull();
  }
  return ShowNull();  // no enumerator leads here
}

std::vector<std::string> MissingPreparations() {
  std::vector<std::string> missing;
  const Result<Acl> root = ReadRoot(SystemDrive());
  if (!root || !IsDriveReady(*root)) {
    missing.emplace_back(
        "AppContainers cannot look at the root of the system drive, which some programs do: "
        "--prepare-system-drive");
  }
  const Result<UniqueHandle> device = OpenNull(0);
  const Result<Descriptor> now =
      device ? DescriptorOf(device->Get(), DACL_SECURITY_INFORMATION) : Result<Descriptor>(device.error());
  const std::optional<Acl> list = now ? ListIn(*now, false) : Acl{};
  if (list && !LetsContainersIn(*list))
    missing.emplace_back("AppContainers cannot open the device NUL: --prepare-null-device");
  return missing;
}

}  // namespace mxc
