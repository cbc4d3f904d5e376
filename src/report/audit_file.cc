#include "report/audit_file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/own_files.h"
#include "base/shared_file.h"
#include "report/audit_chain.h"
#include "report/hidden_values.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxLineBytes = 16U << 20U;  // far above what one plan's record needs
constexpr std::size_t kTailBytes = 64U << 10U;
constexpr int kMaxRotations = 8;  // that may happen while we look for the file

// The line feed before the one at `at`.
std::size_t FeedBefore(std::string_view text, std::size_t at) {
  return at == std::string_view::npos || at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
}

}  // namespace

class AuditFile::Lock {
 public:
  Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { Release(); }
  // False: errno says why.
  [[nodiscard]] bool Take(int borrowed_fd, std::chrono::milliseconds wait) {
    if (!LockFile(borrowed_fd, wait.count())) return false;
    fd_ = borrowed_fd;
    return true;
  }
  void Release() {
    if (fd_ >= 0) UnlockFile(fd_);
    fd_ = -1;
  }

 private:
  int fd_ = -1;
};

Error AuditFile::Failed(const char* what, int number) const {
  return SystemError(ErrorCode::kSetupFailed, std::string(what) + " the audit log '" + path_ + "'", number);
}

Error AuditFile::NotLocked(const std::string& path) const {
  if (errno != EAGAIN) return Failed("lock", errno);
  return SetupFailed("add to the audit log '" + path_ + "': another process holds the lock of '" + path + "'",
                     "find the process that has that file open, and end it: lsof FILE, or /proc/locks");
}

Error AuditFile::NotFound() const {
  return SetupFailed("the audit log '" + path_ + "' was renamed again and again while a line was to be added",
                     "rotate it less often");
}

Result<AuditFile> AuditFile::Open(const std::string& path, std::chrono::milliseconds lock_wait) {
  AuditFile log(path, lock_wait);
  if (Status opened = log.Reopen(); !opened) return opened.error();
  if (Status opened = log.ReopenHead(); !opened) return opened.error();
  return log;
}

// Only where none can be made there is none.
Status AuditFile::ReopenHead() {
  const std::string what = "open the head of the audit log";
  const std::string head = AuditHeadPath(path_);
  head_.Reset();
  if (Status right = CheckOwnFile(what, head, OwnFile::kHead); !right)
    return SetupFailed(right.error().message);
  Result<UniqueFd> file = OpenOwnFile(what, head, OwnFile::kHead);
  std::error_code unknown;
  if (!file && std::filesystem::exists(std::filesystem::symlink_status(head, unknown))) return file.error();
  if (file) head_ = std::move(*file);
  return Done{};
}

Status AuditFile::Reopen() {
  Result<UniqueFd> file = OpenOwnFile("open the audit log", path_, OwnFile::kAudit);
  if (!file) {
    Error error = file.error();
    if (error.hint.empty())
      error.hint =
          "the directory is made beforehand, for the caller alone: install -d -m 700 -o USER DIRECTORY";
    return error;
  }
  file_ = std::move(*file);
  return Done{};
}

// The lock of the head is that of the chain, whose files change: the file that has the name under it is the
// last, also when it is renamed before the line is in it. The lock of the file keeps apart those that have no
// head, or one that was removed.
Result<std::string> AuditFile::Append(std::string_view record) {
  const std::string line = RecordWithoutHiddenValues(record);
  for (int attempt = 0; attempt < kMaxRotations; ++attempt) {
    Lock chain;
    if (head_ && !chain.Take(head_.Get(), lock_wait_)) return NotLocked(AuditHeadPath(path_));
    if (!head_ || LeadsToFileOf(AuditHeadPath(path_), head_.Get())) return AppendToLast(line);
    chain.Release();
    if (Status opened = ReopenHead(); !opened) return opened.error();
  }
  return NotFound();
}

Result<std::string> AuditFile::AppendToLast(std::string_view line) {
  for (int attempt = 0; attempt < kMaxRotations; ++attempt) {
    Lock lock;
    if (!lock.Take(file_.Get(), lock_wait_)) return NotLocked(path_);
    const bool last = head_ && attempt > 0;  // opened under the lock of the chain
    if (last || LeadsToFileOf(path_, file_.Get())) return AppendLocked(line);
    lock.Release();
    if (Status opened = Reopen(); !opened) return opened.error();  // it was rotated
  }
  return NotFound();
}

// A writer may be killed before its line is there, or before the head says so, and the log be renamed then:
// the next one cannot tell which, so its line names both.
Result<std::string> AuditFile::AppendLocked(std::string_view line) {
  std::uint64_t end = 0;
  const Result<Head> previous = Previous(end);
  if (!previous) return previous.error();
  const std::string text = WithPrevious(line, previous->line, previous->next);
  std::string hash = LineHash(text);
  Head begun = *previous;
  begun.next.push_back(hash);
  if (!WriteHead(begun)) return Failed("write the head of", errno);
  const std::int64_t count = WriteSome(file_.Get(), text);
  if (count < 0 || static_cast<std::size_t>(count) != text.size()) {
    const int number = count < 0 ? errno : ENOSPC;
    if (CutFile(file_.Get(), end)) static_cast<void>(WriteHead(*previous));  // else the next writer does
    return Failed("write", number);
  }
  if (!WriteHead({.line = hash, .file = IdentityOfFile(file_.Get())})) {
    const int number = errno;
    static_cast<void>(CutFile(file_.Get(), end));
    return Failed("write the head of", number);
  }
  return hash;
}

Result<AuditFile::Head> AuditFile::Previous(std::uint64_t& end) {
  const std::int64_t size = SizeOfFile(file_.Get());
  if (size < 0) return Failed("read", errno);
  std::string tail;
  std::size_t last = std::string::npos;   // the last line feed
  std::size_t first = std::string::npos;  // the one before it
  auto at = static_cast<std::uint64_t>(size);
  while (at > 0 && first == std::string::npos) {
    if (tail.size() > kMaxLineBytes) return Failed("find a line of", EFBIG);
    std::string piece(std::min<std::uint64_t>(kTailBytes, at), '\0');
    at -= piece.size();
    const std::int64_t count = ReadFileAt(file_.Get(), piece, at);
    if (count != static_cast<std::int64_t>(piece.size())) return Failed("read", count < 0 ? errno : EIO);
    tail.insert(0, piece);
    last = tail.rfind('\n');
    first = FeedBefore(tail, last);
  }
  end = last == std::string::npos ? 0 : at + last + 1;
  const std::size_t begin = first == std::string::npos ? 0 : first + 1;
  const std::string_view line =
      end == 0 ? std::string_view() : std::string_view(tail).substr(begin, last - begin);
  Head head = ReadHead();
  if (Status whole = CheckHead(head, line, end); !whole) return whole.error();
  if (end != static_cast<std::uint64_t>(size) && !CutFile(file_.Get(), end)) return Failed("mend", errno);
  if (end != 0) return Head{.line = LineHash(line), .file = IdentityOfFile(file_.Get())};
  if (!IsLineHash(head.line)) return Head{.line = ChainStart()};
  return head;
}

bool AuditFile::WriteHead(const Head& head) {
  if (!head_ || head.line == ChainStart()) return true;  // there is no line that it could name
  std::string text = head.line + "\n" + head.file + "\n";
  for (const std::string& next : head.next) text += next + "\n";
  return ReplaceContents(head_.Get(), text);
}

AuditFile::Head AuditFile::ReadHead() const {
  constexpr std::size_t kMaxHeadBytes = 4096;
  std::string text(kMaxHeadBytes, '\0');
  const std::int64_t count = head_ ? ReadFileAt(head_.Get(), text, 0) : 0;
  text.resize(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
  Head head{.empty = count == 0};
  std::istringstream lines(text);
  std::getline(lines, head.line);
  std::getline(lines, head.file);
  for (std::string next; std::getline(lines, next);) {
    if (IsLineHash(next) && next != head.line) head.next.push_back(next);
  }
  return head;
}

Result<bool> AuditFile::HasLine(const std::string& hash, std::uint64_t end) const {
  std::string rest;
  for (std::uint64_t at = 0; at < end;) {
    std::string piece(std::min<std::uint64_t>(kTailBytes, end - at), '\0');
    const std::int64_t count = ReadFileAt(file_.Get(), piece, at);
    if (count != static_cast<std::int64_t>(piece.size())) return Failed("read", count < 0 ? errno : EIO);
    at += piece.size();
    rest += piece;
    std::size_t begin = 0;
    for (std::size_t feed = 0; (feed = rest.find('\n', begin)) != std::string::npos; begin = feed + 1) {
      if (LineHash(std::string_view(rest).substr(begin, feed - begin)) == hash) return true;
    }
    rest.erase(0, begin);
    if (rest.size() > kMaxLineBytes) return Failed("find a line of", EFBIG);
  }
  return false;
}

// A writer adds its line first: one that was killed in between, or a machine that lost its power, leaves the
// head of an earlier line. An empty one was made just now. A log that is empty itself is the next of one that
// was renamed, or removed, unless it is the file that had the line.
Status AuditFile::CheckHead(const Head& head, std::string_view last, std::uint64_t end) const {
  if (head.empty) return Done{};
  if (end == 0) {
    if (head.file.empty() || head.file != IdentityOfFile(file_.Get())) return Done{};
  } else if (IsLineHash(head.line)) {
    if (head.line == LineHash(last) || last.ends_with(head.line + "\"}")) return Done{};
    const Result<bool> has = HasLine(head.line, end);
    if (!has) return has.error();
    if (*has) return Done{};
  }
  return SetupFailed("the audit log '" + path_ + "' does not have the line of '" + AuditHeadPath(path_) +
                         "': it was cut off, or changed",
                     "find out who could write it, and rename it: a new one goes on, and --audit-verify "
                     "still finds the gap");
}

Status AuditFile::Flush() {
  if (FlushToDisk(file_.Get())) return Done{};
  return Failed("write to disk", errno);
}

}  // namespace mxc
