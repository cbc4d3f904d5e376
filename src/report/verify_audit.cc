#include "report/verify_audit.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/own_files.h"
#include "base/quoted.h"
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

Status TakeFile(const std::string& file, AuditChain& chain) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return SystemError(ErrorCode::kSetupFailed, "read the audit log '" + file + "'", errno);
  std::uint64_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (stream.eof()) return WrongAt(file, number, "it is cut short: its line feed is missing");
    if (Status taken = chain.Take(line); !taken) return WrongAt(file, number, taken.error().message);
  }
  if (stream.bad()) return SystemError(ErrorCode::kSetupFailed, "read the audit log '" + file + "'", EIO);
  return Done{};
}

// Empty: a file that is missing, because the writers could make none, or that was made just now.
Result<std::string> RecordedHead(const std::string& file) {
  const std::string path = AuditHeadPath(file);
  std::error_code unknown;
  const std::filesystem::file_status found = std::filesystem::symlink_status(path, unknown);
  if (!std::filesystem::exists(found)) return std::string();
  std::string head;
  bool read = std::filesystem::is_regular_file(found);
  if (read) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
      return SystemError(ErrorCode::kSetupFailed, "read the head of the audit log '" + path + "'", errno);
    std::getline(stream, head);
    read = IsLineHash(head) || (head.empty() && stream.eof());
  }
  if (read) return head;
  return WrongAt(
      file, 0,
      "'" + path +
          "' does not hold the hash of a line: it was changed, and a run that needs a record is refused");
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
  const Result<std::string> head = RecordedHead(files.back());
  if (head && !head->empty()) wanted.insert(*head);
  AuditChain chain(std::move(wanted));
  for (const std::string& file : files) {
    if (Status taken = TakeFile(file, chain); !taken) return taken.error();
  }
  if (Status whole = chain.Finish(); !whole) return WrongAt(files.back(), 0, whole.error().message);
  if (!head) return head.error();
  const nlohmann::ordered_json answer = {{"lines", chain.Lines()},
                                         {"unchained", chain.Unchained()},
                                         {"head", chain.Head()},
                                         {"openRuns", chain.Open()}};
  return answer.dump() + "\n";
}

}  // namespace mxc
