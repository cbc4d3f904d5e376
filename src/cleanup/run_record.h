// A record of a run's on disk while it lasts, in case both its launcher and its cleanup process are killed,
// or something is left to do for the next call.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "cleanup/recover.h"
#include "mxc/error.h"

namespace mxc {

// How names begin, by kind; no name of a sandbox does.
inline constexpr std::string_view kConfigRecords = ".git-";
inline constexpr std::string_view kPutBackRecords = ".put-";
inline constexpr std::string_view kUnreported = ".unreported-";  // what JudgeLeftRecords found

// The destructor removes the record; a process that is killed leaves it.
//
//   Result<RunRecord> record = RunRecord::Reserve(kPutBackRecords);
//   ...  // take the locks of what is recorded
//   Status written = record->Write(text);
class RunRecord {
 public:
  // In a directory of the caller's, which no sandbox shows and each later call of his finds
  // (RuntimeDirectory::OpenForRecords), under a name that begins with `prefix`, one of those above, and
  // has a greater number than any other there. No other call takes notice of it before Write. Errors:
  // kSetupFailed.
  [[nodiscard]] static Result<RunRecord> Reserve(std::string_view prefix);
  // Once. Errors: kSetupFailed.
  [[nodiscard]] Status Write(const std::string& text);
  // Borrowed, -1 for none: the run goes on as long as a process has this open.
  [[nodiscard]] int Descriptor() const { return file_.Get(); }

  RunRecord() = default;
  RunRecord(RunRecord&& other) noexcept;
  RunRecord& operator=(RunRecord&& other) noexcept;
  RunRecord(const RunRecord&) = delete;
  RunRecord& operator=(const RunRecord&) = delete;
  ~RunRecord() { Remove(); }

  // Safe to call if the record is another process's.
  void Remove();
  // Leaves `text` to the next call; where there is no room for it, what was written first.
  void Leave(const std::string& text);
  // Another process has removed it.
  void Forget() { path_.clear(); }

 private:
  std::string path_ = {};
  UniqueFd file_ = {};  // locked
};

// Paths that records have named, with the identities of their directories.
using NamedPaths = std::set<std::pair<std::string, std::string>>;

// A record of a run that has ended, locked by this process.
struct LeftRecord {
  std::string path = {};
  std::string text = {};
  bool reported = false;  // an earlier call has reported what is in it
  NamedPaths& earlier;    // of older records

  // Whether no older record has named `file` in `directory`, an identity: this one does from now on. What a
  // younger one says of the same may be what the command of the older one's run wrote.
  [[nodiscard]] bool IsFirstToName(const std::string& directory, const std::string& file) const {
    return earlier.emplace(directory, file).second;
  }
};

// What becomes of a record.
struct RecordVerdict {
  enum class What { kRemove, kKeep, kReplace, kUnreadable };
  What what = What::kRemove;
  std::string text = {};  // kReplace: what it says from now on, which has been reported
  // kReplace: a path in each directory where something is to be restored. While none of them is there, the
  // record is not read again unless the user asks.
  std::vector<std::string> waits_for = {};
};

// The records whose names begin with `prefix`.
struct RecordKind {
  std::string_view prefix;
  std::string_view unreadable;  // what to do about one that cannot be read, after its name
  RecordVerdict (*judge)(const LeftRecord& record, Recovery& recovery);
  std::vector<std::string> (*paths)(const std::string& text);  // all that a record names
  bool alone;  // no two runs that go on may name the same path
};

// Judges the records of runs that have ended, the oldest first. One that cannot be read gets another name,
// and is a problem once. What was found is on disk before a record goes or changes, until it is reported
// (Recovery::report).
void JudgeLeftRecords(std::initializer_list<RecordKind> kinds, Recovery& recovery);
// Whether a record of another run names one of `paths`, or what is above or below it: of one that has ended
// and was not judged, or, of kinds that are `alone`, of one that goes on. To be asked when `paths` are
// locked.
[[nodiscard]] bool AnotherNames(std::initializer_list<RecordKind> kinds,
                                const std::vector<std::string>& paths);

}  // namespace mxc
