#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "base/pipe.h"
#include "base/quoted.h"
#include "base/runtime_directory.h"
#include "cleanup/named_place.h"
#include "cleanup/run_record.h"

namespace mxc {
namespace {

// The mode of a record says whether the user has been told of what is in it.
constexpr mode_t kFresh = 0600;
constexpr mode_t kTold = 0400;
constexpr std::size_t kMaxRecordBytes = std::size_t{256} << 20U;

bool LockAlone(const UniqueFd& file) { return ::flock(file.Get(), LOCK_EX | LOCK_NB) == 0; }

std::string ReadRecord(int file) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) > kMaxRecordBytes) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

std::vector<std::string> NamesIn(const RuntimeDirectory& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.path.c_str()), ::closedir);
  while (const dirent* entry =
             listing ? ::readdir(listing.get()) : nullptr) {  // NOLINT(concurrency-mt-unsafe): own stream
    names.emplace_back(entry->d_name);
  }
  return names;
}

// Writes and locks the record before it gets its name: one that is found unlocked is complete. Invalid:
// errno, and an earlier file of that name is unchanged.
UniqueFd WriteRecord(int place, const std::string& name, const std::string& text, mode_t mode) {
  const std::string fresh = "." + name;
  ::unlinkat(place, fresh.c_str(), 0);  // of a call that was killed
  constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd file{::openat(place, fresh.c_str(), kNew, mode)};
  if (file && LockAlone(file) && WriteAll(file.Get(), text) &&
      ::renameat(place, fresh.c_str(), place, name.c_str()) == 0)
    return file;
  const int number = errno;
  ::unlinkat(place, fresh.c_str(), 0);
  errno = number;
  return {};
}

// Under a name that no later call takes for a record.
void MoveAside(const RuntimeDirectory& directory, const std::string& name, const RecordKind& kind,
               Recovery& recovery) {
  const int place = directory.descriptor.Get();
  const std::string aside = "unreadable" + name;
  const bool moved = ::renameat(place, name.c_str(), place, aside.c_str()) == 0;
  recovery.problems.push_back("a record of what an earlier run was to put back cannot be read; it is " +
                              Quoted(directory.path + "/" + (moved ? aside : name)) +
                              std::string(kind.unreadable));
}

// `file`: a record that this process has locked.
void JudgeLeft(const RuntimeDirectory& directory, const std::string& name, const UniqueFd& file,
               const RecordKind& kind, Recovery& recovery) {
  using What = RecordVerdict::What;
  const int place = directory.descriptor.Get();
  struct stat open {};
  struct stat named {};
  // The process that had it locked may have replaced it.
  if (::fstat(file.Get(), &open) != 0 || ::fstatat(place, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 ||
      named.st_ino != open.st_ino)
    return;
  const RecordVerdict verdict = kind.judge({.path = directory.path + "/" + name,
                                            .text = ReadRecord(file.Get()),
                                            .told = (open.st_mode & 0777U) == kTold},
                                           recovery);
  if (verdict.what == What::kUnreadable) MoveAside(directory, name, kind, recovery);
  if (verdict.what == What::kRemove) ::unlinkat(place, name.c_str(), 0);
  if (verdict.what == What::kReplace) WriteRecord(place, name, verdict.text, kTold);
}

void JudgeNamed(const RuntimeDirectory& directory, const std::string& name, const RecordKind& kind,
                Recovery& recovery) {
  constexpr int kReading = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const UniqueFd file{::openat(directory.descriptor.Get(), name.c_str(), kReading)};
  if (!file && errno != ENOENT) {  // ENOENT: its run has just ended
    MoveAside(directory, name, kind, recovery);
  } else if (file && LockAlone(file)) {
    JudgeLeft(directory, name, file, kind, recovery);
  }
}

}  // namespace

Result<RunRecord> RunRecord::Write(std::string_view prefix, const std::string& text) {
  const Result<RuntimeDirectory> directory = RuntimeDirectory::Open();
  if (!directory) return directory.error();
  const std::string name = std::string(prefix) + RandomName();
  RunRecord record;
  record.file_ = WriteRecord(directory->descriptor.Get(), name, text, kFresh);
  if (!record.file_) return SystemError(ErrorCode::kSetupFailed, "write to '" + directory->path + "'", errno);
  record.path_ = directory->path + "/" + name;
  return record;
}

RunRecord::RunRecord(RunRecord&& other) noexcept
    : path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

RunRecord& RunRecord::operator=(RunRecord&& other) noexcept {
  if (this == &other) return *this;
  Remove();
  path_ = std::exchange(other.path_, {});
  file_ = std::move(other.file_);
  return *this;
}

void RunRecord::Remove() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

void RunRecord::Leave(const std::string& text) {
  const Result<NamedPlace> place = path_.empty() ? SetupFailed("") : OpenPlace(path_);
  if (place) static_cast<void>(WriteRecord(place->directory.Get(), place->name, text, kFresh));
  path_.clear();
}

void JudgeLeftRecords(std::initializer_list<RecordKind> kinds, Recovery& recovery) {
  for (const RuntimeDirectory& directory : RuntimeDirectory::Existing()) {
    const std::vector<std::string> names = NamesIn(directory);
    for (const RecordKind& kind : kinds) {
      for (const std::string& name : names)
        if (name.starts_with(kind.prefix)) JudgeNamed(directory, name, kind, recovery);
    }
  }
}

}  // namespace mxc
