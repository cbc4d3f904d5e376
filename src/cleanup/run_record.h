// A record of a run's on disk while it lasts, in case both its launcher and its cleanup process are killed,
// or something is left to do for the next call.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "cleanup/recover.h"
#include "mxc/error.h"

namespace mxc {

// The destructor removes the record; a process that is killed leaves it.
class RunRecord {
 public:
  // In the caller's runtime directory, which no sandbox shows, under a name that begins with `prefix`.
  // Errors: kSetupFailed.
  [[nodiscard]] static Result<RunRecord> Write(std::string_view prefix, const std::string& text);

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
  UniqueFd file_ = {};  // locked as long as the launcher lives
};

// A record of a run that has ended, locked by this process.
struct LeftRecord {
  std::string path = {};
  std::string text = {};
  bool told = false;  // the user has been told of what is in it
};

// What becomes of a record.
struct RecordVerdict {
  enum class What { kRemove, kKeep, kReplace, kUnreadable };
  What what = What::kRemove;
  std::string text = {};  // kReplace: what it says from now on; the user has been told of that
};

// The records whose names begin with `prefix`.
struct RecordKind {
  std::string_view prefix;
  std::string_view unreadable;  // what to do about one that cannot be read, after its name
  RecordVerdict (*judge)(const LeftRecord& record, Recovery& recovery);
};

// Judges the records of runs that have ended, by kinds in this order. One that cannot be read gets another
// name, and is a problem once.
void JudgeLeftRecords(std::initializer_list<RecordKind> kinds, Recovery& recovery);

}  // namespace mxc
