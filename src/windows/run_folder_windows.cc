#include "windows/run_folder_windows.h"

#include <windows.h>

#include <charconv>
#include <filesystem>
#include <utility>

#include "base/own_files.h"
#include "win32/wide_windows.h"
#include "windows/acl_journal_store_windows.h"
#include "windows/private_folder_windows.h"

namespace mxc {
namespace {

constexpr std::string_view kRuns = "run";

// "<process>-<when it was created>-<random>"
bool IsOfLiveProcess(const std::string& name) {
  std::uint32_t process = 0;
  std::uint64_t created = 0;
  const char* const end = name.data() + name.size();
  const auto [first, problem] = std::from_chars(name.data(), end, process);
  if (problem != std::errc{} || first == end) return false;
  const auto [second, other] = std::from_chars(first + 1, end, created);
  return other == std::errc{} && second != end && created != 0 && CreationOf(process) == created;
}

}  // namespace

Result<RunFolder> RunFolder::Make() {
  const Result<std::string> parent = MakeOwnFolder(kRuns);
  if (!parent) return parent.error();
  const DWORD own = ::GetCurrentProcessId();
  RunFolder folder{*parent + "\\" + std::to_string(own) + "-" + std::to_string(CreationOf(own)) + "-" +
                   RandomName() + RandomName()};
  if (Status made = MakePrivateFolder(folder.path_); !made) {
    folder.path_.clear();
    return made.error();
  }
  return folder;
}

RunFolder::RunFolder(RunFolder&& other) noexcept : path_(std::exchange(other.path_, std::string())) {}

RunFolder::~RunFolder() {
  if (!path_.empty()) RemoveTree(path_);
}

std::string RunFolder::Token() const { return path_.substr(path_.rfind('-') + 1); }

void RemoveLeftFolders() {
  std::error_code problem;
  const std::string parent = OwnFolder(kRuns);
  if (parent.empty() || !std::filesystem::is_directory(Wide(parent), problem)) return;
  for (const auto& entry : std::filesystem::directory_iterator(Wide(parent), problem)) {
    if (IsOfLiveProcess(Narrow(entry.path().filename().wstring()))) continue;
    RemoveTree(Narrow(entry.path().wstring()));
  }
}

}  // namespace mxc
