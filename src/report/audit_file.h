// The file of an audit log, which many processes append to at once. Beside it, in PATH.head, stands the hash
// of its last line, and which file has it: a log that was cut off or emptied is found out, and a rotated one
// goes on as the same chain.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

class AuditFile {
 public:
  // As OpenOwnFile, for both files. PATH.head may be missing where the caller may make no file there, but not
  // be one that cannot be opened. `lock_wait` is for whoever adds a line at the same time, some milliseconds.
  [[nodiscard]] static Result<AuditFile> Open(const std::string& path,
                                              std::chrono::milliseconds lock_wait = std::chrono::seconds(10));

  // Adds `record`, a JSON object and a line feed, to the chain, without hidden values; the hash of what was
  // written. What a writer
  // that was killed has left behind the last line feed is cut off; a line that does not fit on the disk
  // leaves nothing. Errors: kSetupFailed; also where the line of PATH.head is not in the log: then lines were
  // removed or changed, and a writer that went on would hide it.
  [[nodiscard]] Result<std::string> Append(std::string_view record);
  [[nodiscard]] Status Flush();  // to disk

 private:
  class Lock;
  struct Head {
    bool empty = false;     // or missing
    std::string line = {};  // the hash of the last line
    std::string file = {};  // the identity of the file that has it, if known
    // Of lines that were added next, of which each is there or not; but for the last, its writer was killed.
    std::vector<std::string> next = {};
  };
  AuditFile(std::string path, std::chrono::milliseconds lock_wait)
      : path_(std::move(path)), lock_wait_(lock_wait) {}
  [[nodiscard]] Status Reopen();
  [[nodiscard]] Status ReopenHead();
  [[nodiscard]] Result<std::string> AppendToLast(std::string_view line);
  [[nodiscard]] Result<std::string> AppendLocked(std::string_view line);
  // Of the last line, as the head should say it; the end of the whole lines goes to `end`.
  [[nodiscard]] Result<Head> Previous(std::uint64_t& end);
  [[nodiscard]] Head ReadHead() const;
  [[nodiscard]] bool WriteHead(const Head& head);  // false: errno says why
  // `last`: the log's last line; `end`: as above.
  [[nodiscard]] Status CheckHead(const Head& head, std::string_view last, std::uint64_t end) const;
  [[nodiscard]] Result<bool> HasLine(const std::string& hash, std::uint64_t end) const;
  // `path`: the log or its head; errno says why it could not be locked.
  [[nodiscard]] Error NotLocked(const std::string& path) const;
  [[nodiscard]] Error NotFound() const;
  [[nodiscard]] Error Failed(const char* what, int number) const;

  std::string path_;
  std::chrono::milliseconds lock_wait_;
  UniqueFd file_ = {};
  UniqueFd head_ = {};
};

}  // namespace mxc
