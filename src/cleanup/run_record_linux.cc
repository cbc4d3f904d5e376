#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/own_files.h"
#include "base/path.h"
#include "base/pipe.h"
#include "base/quoted.h"
#include "base/runtime_directory.h"
#include "cleanup/named_place.h"
#include "cleanup/record_cbor.h"
#include "cleanup/run_record.h"

namespace mxc {
namespace {

constexpr mode_t kOwnersFile = 0600;
constexpr std::size_t kMaxRecordBytes = std::size_t{256} << 20U;

bool LockAlone(const UniqueFd& file) { return ::flock(file.Get(), LOCK_EX | LOCK_NB) == 0; }

// What stands before the text of a record that has been reported: this, the paths that it waits for, each
// with a NUL after it, and one more NUL. No text begins like it, for each is an array in CBOR. The mode could
// not say it: a command under Landlock alone can change that.
constexpr std::string_view kReported{"told\0", 5};
constexpr std::string_view kEndOfHead{"\0\0", 2};
constexpr std::size_t kMaxHeadBytes = 4096;

std::string HeadOf(const std::vector<std::string>& waits_for) {
  std::string head{kReported};
  for (const std::string& path : std::set(waits_for.begin(), waits_for.end())) head += path + '\0';
  head += '\0';
  return head.size() <= kMaxHeadBytes ? head : HeadOf({});
}

std::string ReadBeginning(int file, std::size_t size) {
  std::string text(size, '\0');
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

// "": it has none.
std::string ReadHead(int file) {
  std::string text = ReadBeginning(file, kMaxHeadBytes);
  const std::size_t end = text.starts_with(kReported) ? text.find(kEndOfHead) : std::string::npos;
  text.resize(end == std::string::npos ? 0 : end + kEndOfHead.size());
  return text;
}

// Without the head.
std::string ReadRecord(int file, const std::string& head) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || static_cast<std::size_t>(status.st_size) > kMaxRecordBytes) return {};
  return ReadBeginning(file, static_cast<std::size_t>(status.st_size)).erase(0, head.size());
}

// Whether it waits for directories none of which is there.
bool Waits(const std::string& head) {
  if (head.size() <= kReported.size() + 1) return false;
  std::string_view left = std::string_view(head).substr(kReported.size());
  while (left.front() != '\0') {
    const std::size_t size = left.find('\0');
    if (OpenPlace(std::string(left.substr(0, size)))) return false;
    left.remove_prefix(size + 1);
  }
  return true;
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

UniqueFd OpenRecord(const RuntimeDirectory& directory, const std::string& name) {
  return OpenKept(directory.descriptor.Get(), name);
}

// Of a record that has not got its name yet.
std::string UnnamedOf(std::string_view name) { return "." + std::string(name); }
// The names of records begin with a dot themselves.
bool IsUnnamed(std::string_view name) { return name.starts_with(".."); }

// Which of two records is older: a clock can be set back, and where the directory survives a restart of the
// system, those that only go forward begin anew. Earlier programs wrote the time here. 0: it is no record.
std::uint64_t NumberOf(std::string_view name) {
  if (IsUnnamed(name)) name.remove_prefix(1);
  std::uint64_t number = 0;
  for (const std::string_view prefix : {kConfigRecords, kPutBackRecords, kUnreported}) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    std::from_chars(name.data(), name.data() + name.size(), number);
  }
  return number;
}

UniqueFd MakeUnnamed(int place, const std::string& name) {
  ::unlinkat(place, UnnamedOf(name).c_str(), 0);  // of a call that was killed
  constexpr int kNew = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return UniqueFd{::openat(place, UnnamedOf(name).c_str(), kNew, kOwnersFile)};
}

// Writes and locks the record before it gets its name: one that is found unlocked is complete. False: errno,
// and an earlier file of that name is unchanged.
bool WriteNamed(int place, const std::string& name, const UniqueFd& file, const std::string& text) {
  const std::string unnamed = UnnamedOf(name);
  if (file && LockAlone(file) && WriteAll(file.Get(), text) &&
      ::renameat(place, unnamed.c_str(), place, name.c_str()) == 0)
    return true;
  const int number = errno;
  ::unlinkat(place, unnamed.c_str(), 0);
  errno = number;
  return false;
}

void WriteRecord(int place, const std::string& name, const std::string& text) {
  const UniqueFd file = MakeUnnamed(place, name);
  static_cast<void>(WriteNamed(place, name, file, text));
}

std::string TextOf(const RecoveryResult& found) {
  std::string text;
  nlohmann::json::to_cbor({{"restored", found.restored}, {"problems", found.problems}}, text);
  return text;
}

RecordVerdict TakeUnreported(const LeftRecord& record, Recovery& recovery) {
  const RecordVerdict unreadable{.what = RecordVerdict::What::kUnreadable};
  if (!IsRecordCbor(record.text)) return unreadable;
  const nlohmann::json text = nlohmann::json::from_cbor(record.text, true, false);
  try {
    for (const nlohmann::json& problem : text.at("problems"))
      recovery.found.problems.push_back(problem.get<std::string>());
    recovery.found.restored += text.at("restored").get<std::size_t>();
  } catch (const nlohmann::json::exception&) {
    return unreadable;
  }
  return {};
}

RecordKind UnreportedKind() {
  return {.prefix = kUnreported,
          .unreadable =
              ". An earlier call has put back or found there what killed runs had changed: look at what "
              "`protect` names in their grants before you use git there, and then remove the record",
          .judge = TakeUnreported,
          .paths = {},
          .alone = false};
}

// What was found since `before`.
RecoveryResult Since(const RecoveryResult& before, const RecoveryResult& now) {
  const auto first = now.problems.begin() + static_cast<std::ptrdiff_t>(before.problems.size());
  return {.restored = now.restored - before.restored, .problems = {first, now.problems.end()}};
}

// Reports what a judgement of a record has found, and calls `finish`, after which the record does not say it
// any more. `kept`: it says it until then, and there is no need of another record that does.
void ReportAndFinish(const RecoveryResult& found, bool kept, const Recovery& recovery,
                     const std::function<void()>& finish) {
  if (found.Empty() || !recovery.report) return finish();
  Result<RunRecord> unreported = kept ? Result<RunRecord>(RunRecord()) : RunRecord::Reserve(kUnreported);
  const bool safe = !kept && unreported && unreported->Write(TextOf(found));
  if (safe) finish();
  const bool reported = recovery.report(recovery.what, found);
  if (!safe && reported) finish();
  if (safe && !reported) unreported->Forget();
}

// `file`: a record that this process has locked, or none if it cannot be opened.
void JudgeLeft(const RuntimeDirectory& directory, const std::string& name, const UniqueFd& file,
               const RecordKind& kind, Recovery& recovery, NamedPaths& earlier) {
  using What = RecordVerdict::What;
  const int place = directory.descriptor.Get();
  struct stat open {};
  struct stat named {};
  // The process that had it locked may have replaced it.
  if (file &&
      (::fstat(file.Get(), &open) != 0 || ::fstatat(place, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 ||
       named.st_ino != open.st_ino))
    return;
  const std::string head = ReadHead(file.Get());
  const RecoveryResult before = recovery.found;
  RecordVerdict verdict{.what = What::kUnreadable};
  if (file) {
    verdict = kind.judge({.path = directory.path + "/" + name,
                          .text = ReadRecord(file.Get(), head),
                          .reported = !head.empty(),
                          .earlier = earlier},
                         recovery);
  }
  const std::string aside = "unreadable" + name;  // no later call takes it for a record
  if (verdict.what == What::kUnreadable) {
    recovery.found.problems.push_back(
        "a record of what an earlier run was to put back cannot be read; it is " +
        Quoted(directory.path + "/" + aside) + std::string(kind.unreadable));
  }
  const bool kept =
      verdict.what == What::kKeep || verdict.what == What::kUnreadable || kind.prefix == kUnreported;
  ReportAndFinish(Since(before, recovery.found), kept, recovery, [&] {
    if (verdict.what == What::kUnreadable) ::renameat(place, name.c_str(), place, aside.c_str());
    if (verdict.what == What::kRemove) ::unlinkat(place, name.c_str(), 0);
    if (verdict.what == What::kReplace) WriteRecord(place, name, HeadOf(verdict.waits_for) + verdict.text);
  });
}

void JudgeNamed(const RuntimeDirectory& directory, const std::string& name, const RecordKind& kind,
                Recovery& recovery, NamedPaths& earlier) {
  const UniqueFd file = OpenRecord(directory, name);
  const bool ended = !file && errno == ENOENT;  // its run has, just now
  if (!ended && (!file || LockAlone(file))) JudgeLeft(directory, name, file, kind, recovery, earlier);
}

struct FoundRecord {
  const RuntimeDirectory* directory;
  std::string name;
  RecordKind kind;
};

// Of a run that was killed before it wrote its record.
void RemoveUnnamed(const RuntimeDirectory& directory, const std::string& name) {
  constexpr std::time_t kLongest = 60;  // from the creation of the file to its lock
  const UniqueFd file = OpenRecord(directory, name);
  struct stat status {};
  if (file && ::fstat(file.Get(), &status) == 0 && status.st_mtime + kLongest < std::time(nullptr) &&
      LockAlone(file))
    ::unlinkat(directory.descriptor.Get(), name.c_str(), 0);
}

// The oldest first.
std::vector<FoundRecord> RecordsIn(const std::vector<RuntimeDirectory>& directories,
                                   const std::vector<RecordKind>& kinds) {
  std::vector<FoundRecord> found;
  for (const RuntimeDirectory& directory : directories) {
    for (const std::string& name : NamesIn(directory)) {
      const bool unnamed = IsUnnamed(name);
      const std::string_view own = std::string_view(name).substr(unnamed ? 1 : 0);
      for (const RecordKind& kind : kinds) {
        if (!own.starts_with(kind.prefix)) continue;
        if (unnamed)
          RemoveUnnamed(directory, name);
        else
          found.push_back({&directory, name, kind});
      }
    }
  }
  const auto age = [](const FoundRecord& record) {
    return std::pair(NumberOf(record.name), std::string_view(record.name).substr(record.kind.prefix.size()));
  };
  std::sort(found.begin(), found.end(),
            [&](const FoundRecord& left, const FoundRecord& right) { return age(left) < age(right); });
  return found;
}

bool NamesOne(const FoundRecord& record, const std::vector<std::string>& paths) {
  const UniqueFd file = OpenRecord(*record.directory, record.name);
  // What was judged, and stays, the user knows of.
  if (!file || !ReadHead(file.Get()).empty()) return false;
  if (!record.kind.alone && !LockAlone(file)) return false;
  const std::vector<std::string> named = record.kind.paths(ReadRecord(file.Get(), {}));
  return std::any_of(named.begin(), named.end(), [&](const std::string& name) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return AreNested(name, path); });
  });
}

// Nothing in it can be restored yet, or its run goes on.
bool IsForLater(const FoundRecord& record) {
  const UniqueFd file = OpenRecord(*record.directory, record.name);
  return file ? Waits(ReadHead(file.Get())) || !LockAlone(file) : errno == ENOENT;
}

// Greater than those of all records that are there or being made. With the lock of the directory.
std::uint64_t NextNumber() {
  std::uint64_t last = 0;
  for (const RuntimeDirectory& directory : RuntimeDirectory::ExistingForRecords())
    for (const std::string& name : NamesIn(directory)) last = std::max(last, NumberOf(name));
  return last + 1;
}

// Until the descriptor is closed.
bool LockDirectory(const RuntimeDirectory& directory) {
  int result = 0;
  do {
    result = ::flock(directory.descriptor.Get(), LOCK_EX);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

Result<RunRecord> RunRecord::Reserve(std::string_view prefix) {
  const Result<RuntimeDirectory> directory = RuntimeDirectory::OpenForRecords();
  if (!directory) return directory.error();
  if (!LockDirectory(*directory))
    return SystemError(ErrorCode::kSetupFailed, "lock " + Quoted(directory->path), errno);
  const std::string name = fmt::format("{}{}-{}", prefix, NextNumber(), RandomName());
  RunRecord record;
  record.file_ = MakeUnnamed(directory->descriptor.Get(), name);
  if (!record.file_ || !LockAlone(record.file_))
    return SystemError(ErrorCode::kSetupFailed, "write to '" + directory->path + "'", errno);
  record.path_ = JoinPath(directory->path, name);
  return record;
}

Status RunRecord::Write(const std::string& text) {
  const std::string place{ParentOf(path_)};
  const Result<UniqueFd> directory = OpenOwnDirectory(place);
  if (!directory) return directory.error();
  if (WriteNamed(directory->Get(), std::string(NameOf(path_)), file_, text)) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "write to " + Quoted(place), errno);
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
  if (path_.empty()) return;
  // In another process it may have got its name meanwhile.
  if (::unlink(path_.c_str()) != 0) ::unlink(JoinPath(ParentOf(path_), UnnamedOf(NameOf(path_))).c_str());
  path_.clear();
}

void RunRecord::Leave(const std::string& text) {
  if (path_.empty()) return;
  const Result<UniqueFd> directory = OpenOwnDirectory(std::string(ParentOf(path_)));
  if (directory) WriteRecord(directory->Get(), std::string(NameOf(path_)), text);
  path_.clear();
}

void JudgeLeftRecords(std::initializer_list<RecordKind> kinds, Recovery& recovery) {
  const std::vector<RuntimeDirectory> directories = RuntimeDirectory::ExistingForRecords();
  std::vector<RecordKind> all{kinds};
  all.push_back(UnreportedKind());
  const std::vector<FoundRecord> records = RecordsIn(directories, all);
  // All or none: which record is the first to name a path is known when all are read.
  if (!recovery.asked && std::all_of(records.begin(), records.end(), IsForLater)) return;
  NamedPaths earlier;
  for (const FoundRecord& record : records)
    JudgeNamed(*record.directory, record.name, record.kind, recovery, earlier);
}

bool AnotherNames(std::initializer_list<RecordKind> kinds, const std::vector<std::string>& paths) {
  const std::vector<RuntimeDirectory> directories = RuntimeDirectory::ExistingForRecords();
  const std::vector<FoundRecord> records = RecordsIn(directories, kinds);
  return std::any_of(records.begin(), records.end(),
                     [&](const FoundRecord& record) { return NamesOne(record, paths); });
}

}  // namespace mxc
