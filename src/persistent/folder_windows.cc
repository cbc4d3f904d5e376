#include "persistent/folder_windows.h"

#include <windows.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "win32/wide_windows.h"
#include "windows/command_windows.h"
#include "windows/persistent_machine_windows.h"
#include "windows/private_folder_windows.h"

namespace mxc::session {
namespace {

constexpr std::string_view kSandboxes = "sandboxes";
constexpr const char* kRecord = "record";
constexpr const char* kNewRecord = "record.new";
constexpr std::uint64_t kRemoveLimitMs = 5000;  // launchers still have to see that the machine has gone
constexpr DWORD kFolderPollMs = 20;

std::uint64_t Milliseconds(const FILETIME& time) {
  constexpr std::uint64_t kUnitsPerMs = 10000;  // of 100 ns
  return ((std::uint64_t{time.dwHighDateTime} << 32U) | time.dwLowDateTime) / kUnitsPerMs;
}

std::uint64_t ChangedMs(const std::string& path) {
  WIN32_FILE_ATTRIBUTE_DATA told{};
  if (::GetFileAttributesExW(Wide(path).c_str(), GetFileExInfoStandard, &told) == 0) return 0;
  return Milliseconds(told.ftLastWriteTime);
}

bool Exists(const std::string& path) {
  return ::GetFileAttributesW(Wide(path).c_str()) != INVALID_FILE_ATTRIBUTES;
}

}  // namespace

std::uint64_t ClockMs() {
  FILETIME now{};
  ::GetSystemTimeAsFileTime(&now);
  return Milliseconds(now);
}

SandboxFolder::SandboxFolder(SandboxId id)
    : id_(std::move(id)), path_(OwnFolder(kSandboxes) + "\\" + id_.Name()) {}

std::vector<SandboxFolder> SandboxFolder::All() {
  std::vector<SandboxFolder> all;
  std::error_code problem;
  const std::filesystem::directory_iterator entries{Wide(OwnFolder(kSandboxes)), problem};
  for (const auto& entry : entries) {
    const Result<SandboxId> id = ParseSandboxName(Narrow(entry.path().filename().wstring()));
    if (id) all.emplace_back(*id);
  }
  return all;
}

bool SandboxFolder::AnyWasMade() { return Exists(OwnFolder(kSandboxes)); }

bool SandboxFolder::IsThere() const { return Exists(path_); }

Status SandboxFolder::Make() const {
  const Result<std::string> parent = MakeOwnFolder(kSandboxes);
  if (!parent) return parent.error();
  return MakePrivateFolder(path_);
}

Status SandboxFolder::Write(const Record& record) const {
  if (Status written = WriteFileText(Of(kNewRecord), RecordText(record)); !written) return written;
  if (::MoveFileExW(Wide(Of(kNewRecord)).c_str(), Wide(Of(kRecord)).c_str(),
                    MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0)
    return Done{};
  return WindowsError(ErrorCode::kSetupFailed, "write '" + Of(kRecord) + "'", ::GetLastError());
}

Status SandboxFolder::Remove() const {
  ::DeleteFileW(Wide(Of(kRecord)).c_str());
  const std::uint64_t start = Now();
  for (;; ::Sleep(kFolderPollMs)) {
    RemoveTree(path_);
    if (!IsThere()) return Done{};
    if (Now() - start < kRemoveLimitMs) continue;
    return Error{.code = ErrorCode::kSetupFailed,
                 .message = "something of '" + path_ + "' is still in use",
                 .pointer = "/sandboxId",
                 .hint = "end what uses it, and deprovision again"};
  }
}

std::optional<Record> SandboxFolder::Read() const {
  std::ifstream file{std::filesystem::path{Wide(Of(kRecord))}, std::ios::binary};
  return ReadRecord({std::istreambuf_iterator<char>(file), {}});
}

// The folder of orders changes with each order that comes or goes, also when a launcher was killed.
std::uint64_t SandboxFolder::UsedMs() const {
  return std::max(ChangedMs(Of(kRecord)), ChangedMs(Of(kOrders)));
}

bool SandboxFolder::IsOver(const Record& record) const {
  const auto passed = [now = ClockMs()](std::uint64_t since, std::uint64_t limit) {
    return limit != 0 && now >= since && now - since >= limit;
  };
  if (passed(record.provisioned_ms, record.limits.lifetime_ms)) return true;
  return RunningCommands(path_) == 0 && passed(UsedMs(), record.limits.idle_ms);
}

std::uint64_t SandboxFolder::LifetimeLeft(const Record& record) {
  if (record.limits.lifetime_ms == 0) return 0;
  const std::uint64_t age = ClockMs() - record.provisioned_ms;
  return std::max<std::uint64_t>(record.limits.lifetime_ms - std::min(age, record.limits.lifetime_ms), 1);
}

}  // namespace mxc::session
