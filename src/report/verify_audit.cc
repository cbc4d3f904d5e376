#include "report/verify_audit.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/own_files.h"
#include "base/quoted.h"
#include "base/shared_file.h"
#include "report/audit_chain.h"

namespace mxc {
namespace {

Error WrongAt(const std::string& file, std::uint64_t line, const std::string& what) {
  return {.code = ErrorCode::kMalformed,
          .message = "the audit log " + Quoted(file) + (line == 0 ? "" : ", line " + std::to_string(line)) +
                     ": " + what,
          .hint =
              "what stands before that line is as it was written; keep the file as it is, and find out who "
              "could write it"};
}

Error WrongHead(const std::string& file, const std::string& what) {
  return WrongAt(file, 0, Quoted(AuditHeadPath(file)) + " " + what);
}

// `last`: of the files. What stands behind the last line feed of another one is what a killed writer left:
// if it had been a line, the next file would name it.
Status TakeFile(const std::string& file, bool last, AuditChain& chain) {
  const Result<UniqueFd> opened = OpenToRead("read the audit log", file);
  if (!opened) return opened.error();
  std::array<char, 65536> buffer{};
  std::string line;
  std::uint64_t number = 1;
  for (std::uint64_t offset = 0;;) {
    const std::int64_t count = ReadFileAt(opened->Get(), buffer, offset);
    if (count < 0) return SystemError(ErrorCode::kSetupFailed, "read the audit log " + Quoted(file), errno);
    if (count == 0) break;
    offset += static_cast<std::uint64_t>(count);
    std::string_view left(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t end = left.find('\n'); end != std::string_view::npos; end = left.find('\n')) {
      line.append(left.substr(0, end));
      if (Status taken = chain.Take(line); !taken) return WrongAt(file, number, taken.error().message);
      line.clear();
      left.remove_prefix(end + 1);
      ++number;
    }
    line.append(left);
  }
  if (line.empty() || !last) return Done{};
  return WrongAt(file, number, "it is cut short: its line feed is missing");
}

// Not set: there is no such file, because the writers could make none. Empty: it was made just now.
Result<std::optional<std::string>> RecordedHead(const std::string& file) {
  const std::string path = AuditHeadPath(file);
  std::error_code unknown;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, unknown)))
    return std::optional<std::string>();
  const Result<UniqueFd> opened = OpenToRead("read the head of the audit log", path);
  if (!opened) return opened.error();
  std::array<char, 4096> buffer{};
  const std::int64_t count = ReadFileAt(opened->Get(), buffer, 0);
  if (count < 0)
    return SystemError(ErrorCode::kSetupFailed, "read the head of the audit log " + Quoted(path), errno);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(count));
  const std::string_view head = text.substr(0, text.find('\n'));
  if (text.empty() || IsLineHash(head)) return std::optional(std::string(head));
  return WrongHead(
      file, "does not hold the hash of a line: it was changed, and a run that needs a record is refused");
}

}  // namespace

Result<std::string> VerifyAudit(const std::vector<std::string>& files,
                                const std::vector<std::string>& anchors) {
  std::set<std::string> wanted;
  for (const std::string& anchor : anchors) {
    if (!IsLineHash(anchor))
      return Error{
          .code = ErrorCode::kUsage,
          .message = "--audit-anchor " + Quoted(anchor) + " is no hash of a line",
          .hint = "it is the \"head\" that an earlier --audit-verify printed: 64 hexadecimal digits"};
    wanted.insert(anchor);
  }
  // Read before the lines: a writer adds a line first.
  const Result<std::optional<std::string>> head = RecordedHead(files.back());
  if (head && *head && !(*head)->empty()) wanted.insert(**head);
  AuditChain chain(std::move(wanted));
  for (const std::string& file : files) {
    if (Status taken = TakeFile(file, &file == &files.back(), chain); !taken) return taken.error();
  }
  if (Status whole = chain.Finish(); !whole) return WrongAt(files.back(), 0, whole.error().message);
  if (!head) return head.error();
  // A writer makes it, adds its line and then says so: it cannot be empty when a second one has been added.
  if (*head && (*head)->empty() && chain.Lines() > chain.Unchained() + 1)
    return WrongHead(files.back(),
                     "is empty, and the log has more than one line of the chain: it was emptied");
  const nlohmann::ordered_json answer = {{"lines", chain.Lines()},
                                         {"unchained", chain.Unchained()},
                                         {"head", chain.Head()},
                                         {"openRuns", chain.Open()}};
  // What a log says of a run may be text that a terminal would act on.
  return answer.dump(-1, ' ', true) + "\n";
}

}  // namespace mxc
