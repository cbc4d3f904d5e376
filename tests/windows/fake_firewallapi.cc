// Stands in for FirewallAPI.dll: keeps the exemptions of all processes in a file of the system directory,
// each as its attributes and the digits of its SID, or answers as an ordinary user gets it.
#include <windows.h>

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace {

std::string Place(const char* name) {
  char directory[MAX_PATH] = {};
  ::GetSystemDirectoryA(directory, MAX_PATH);
  return std::string(directory) + "\\" + name;
}

bool IsDenied() { return std::ifstream{Place("mxc-fake-exemptions-denied")}.good(); }

void* Allocated(const void* bytes, std::size_t size) {
  void* const memory = ::HeapAlloc(::GetProcessHeap(), 0, size);
  std::memcpy(memory, bytes, size);
  return memory;
}

}  // namespace

extern "C" {

__declspec(dllexport) DWORD
    NetworkIsolationGetAppContainerConfig(DWORD* count, SID_AND_ATTRIBUTES** containers) {
  std::vector<SID_AND_ATTRIBUTES> list;
  std::ifstream file{Place("mxc-fake-exemptions")};
  DWORD attributes = 0;
  std::string digits;
  while (file >> attributes >> digits) {
    std::string sid;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
      sid += static_cast<char>(std::stoul(digits.substr(i, 2), nullptr, 16));
    list.push_back({.Sid = Allocated(sid.data(), sid.size()), .Attributes = attributes});
  }
  *count = static_cast<DWORD>(list.size());
  *containers = static_cast<SID_AND_ATTRIBUTES*>(Allocated(list.data(), list.size() * sizeof list[0]));
  return ERROR_SUCCESS;
}

__declspec(dllexport) DWORD
    NetworkIsolationSetAppContainerConfig(DWORD count, SID_AND_ATTRIBUTES* containers) {
  if (IsDenied()) return ERROR_ACCESS_DENIED;
  constexpr char kDigits[] = "0123456789abcdef";
  std::ofstream file{Place("mxc-fake-exemptions")};
  for (DWORD i = 0; i < count; ++i) {
    const auto* bytes = static_cast<const unsigned char*>(containers[i].Sid);
    file << containers[i].Attributes << ' ';
    for (DWORD at = 0; at < ::GetLengthSid(containers[i].Sid); ++at)
      file << kDigits[bytes[at] >> 4U] << kDigits[bytes[at] & 0xFU];
    file << '\n';
  }
  return ERROR_SUCCESS;
}
}
