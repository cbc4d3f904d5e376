// The journals of access control lists on this machine: one file for each run, below %LOCALAPPDATA%.
#pragma once

#include <windows.h>

#include <string>

#include "access/acl_journal.h"
#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

// MXC_ACL_JOURNAL, or "%LOCALAPPDATA%\mxc-exec\acl". Empty: neither is set.
[[nodiscard]] std::string JournalDirectory();

// The journal of one run. Removed when everything it says has been undone.
class JournalFile {
 public:
  // Errors: kSetupFailed.
  [[nodiscard]] static Result<JournalFile> Create(const std::string& directory);

  [[nodiscard]] Status Write(const std::string& line) const;
  void Remove();

 private:
  std::string path_ = {};
  UniqueFd file_ = {};
};

// When the process was created, as Windows counts; 0: it is not there.
[[nodiscard]] std::uint64_t CreationOf(DWORD process);

inline constexpr const wchar_t* kExemptionLock = L"Global\\mxc-exec.exemptions";  // of all sessions

// One at a time changes lists on this machine: reading, changing and writing one is three steps.
class AclLock {
 public:
  explicit AclLock(const wchar_t* name = L"Local\\mxc-exec.acl");
  AclLock(const AclLock&) = delete;
  AclLock& operator=(const AclLock&) = delete;
  ~AclLock();

 private:
  HANDLE mutex_ = nullptr;
};

}  // namespace mxc
