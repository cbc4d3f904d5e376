#include "windows/acl_journal_store_windows.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "access/acl_windows.h"
#include "base/own_files.h"
#include "cleanup/recover.h"
#include "win32/unique_handle_windows.h"
#include "win32/wide_windows.h"
#include "windows/container_windows.h"
#include "windows/given_access_windows.h"
#include "windows/private_folder_windows.h"
#include "windows/run_folder_windows.h"

namespace mxc {
namespace {

constexpr DWORD kLockMs = 30000;
constexpr const wchar_t* kEnding = L".acl";

std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  return {std::istreambuf_iterator<char>(file), {}};
}

bool IsAlive(const AclRun& run) {
  return run.created != 0 && CreationOf(static_cast<DWORD>(run.process)) == run.created;
}

// One left over journal. It stays when something could not be put back, to be tried again.
void Recover(const std::filesystem::path& path, Recovery& recovery) {
  const std::string name = Narrow(path.wstring());
  const std::optional<WrittenRun> written = ReadJournal(ReadAll(path));
  if (!written) {
    recovery.found.problems.push_back("'" + name + "' is no journal; remove it");
    return;
  }
  if (IsAlive(written->run)) return;
  WindowsAcls store;
  const Unrestored left = PutBack(*written, store, UndoingHere());
  recovery.found.restored += written->records.size() - left.records.size();
  if (left.reason) {
    recovery.found.problems.push_back(left.reason->message);
    return;
  }
  const int others = (written->bfs.empty() ? 0 : 1) + (written->exemption ? 1 : 0);
  recovery.found.restored += static_cast<std::size_t>(others);
  if (others != 0) recovery.what = "grants and access control lists";
  if (!written->run.profile.empty()) DeleteProfile(written->run.profile);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace

std::string JournalDirectory() {
  const wchar_t* const named = ::_wgetenv(L"MXC_ACL_JOURNAL");
  return named != nullptr && *named != L'\0' ? Narrow(named) : OwnFolder("acl");
}

Result<JournalFile> JournalFile::Create(const std::string& directory) {
  if (directory.empty()) {
    return SetupFailed("there is no place for the journal of access control lists",
                       "set LOCALAPPDATA, or MXC_ACL_JOURNAL to a directory of yours");
  }
  std::error_code problem;
  std::filesystem::create_directories(Wide(directory), problem);
  JournalFile journal;
  journal.path_ = directory + "\\" + std::to_string(OwnProcessId()) + "-" + RandomName() + Narrow(kEnding);
  Result<UniqueFd> file = OpenOwnFile("open the journal", journal.path_, OwnFile::kAudit);
  if (!file) return file.error();
  journal.file_ = std::move(*file);
  return journal;
}

Status JournalFile::Write(const std::string& line) const {
  const std::int64_t count = WriteSome(file_.Get(), line);
  if (count == static_cast<std::int64_t>(line.size()) && FlushToDisk(file_.Get())) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "write the journal '" + path_ + "'",
                     count < 0 ? errno : ENOSPC);
}

void JournalFile::Remove() {
  file_.Reset();
  std::error_code ignored;
  std::filesystem::remove(Wide(path_), ignored);
}

std::uint64_t CreationOf(DWORD process) {
  const UniqueHandle handle{::OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process)};
  FILETIME created{};
  FILETIME ended{};
  FILETIME kernel{};
  FILETIME user{};
  DWORD status = 0;
  if (!handle || ::GetProcessTimes(handle.Get(), &created, &ended, &kernel, &user) == 0) return 0;
  if (::GetExitCodeProcess(handle.Get(), &status) != 0 && status != STILL_ACTIVE) return 0;
  return (std::uint64_t{created.dwHighDateTime} << 32U) | created.dwLowDateTime;
}

AclLock::AclLock(const wchar_t* name) : mutex_(::CreateMutexW(nullptr, FALSE, name)) {
  // One that was left behind is as good: the journal says what its owner had done.
  if (mutex_ != nullptr) ::WaitForSingleObject(mutex_, kLockMs);
}

AclLock::~AclLock() {
  if (mutex_ == nullptr) return;
  ::ReleaseMutex(mutex_);
  ::CloseHandle(mutex_);
}

Recovery RecoverRuns(bool /*asked*/, const ReportRecovery& report) {
  RemoveLeftFolders();
  Recovery recovery;
  const std::string directory = JournalDirectory();
  std::error_code missing;
  if (directory.empty() || !std::filesystem::is_directory(Wide(directory), missing)) return recovery;
  const AclLock lock;
  for (const auto& entry : std::filesystem::directory_iterator(Wide(directory), missing)) {
    if (entry.path().extension() == kEnding) Recover(entry.path(), recovery);
  }
  if (report && !recovery.found.Empty()) static_cast<void>(report(recovery.what, recovery.found));
  return recovery;
}

}  // namespace mxc
