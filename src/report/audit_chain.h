// The chain of an audit log: each line ends with the SHA-256 of the line before it, so that whoever changes,
// removes or reorders one has to write anew all that follow.
//
//   {"event":"begin",...,"previous":"0000…"}  the first
//   {"event":"end",...,"previous":"9f86…"}    of the line above, without its line feed
//   {...,"killed":["60c4…"],"previous":"9f86…"}  of that line, or of the line 60c4…, whose writer was killed
//
//   AuditChain chain(anchors);
//   Status taken = chain.Take(line);  // every line of every file, in the order of their rotation
//   Status whole = chain.Finish();
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"

namespace mxc {

// What stands for the line before the first: 64 zeros.
[[nodiscard]] std::string ChainStart();
// `line` is one JSON object and a line feed; `previous` becomes its last member. `killed`: hashes of lines
// after that one, each of which may be there or not, because its writer was killed.
[[nodiscard]] std::string WithPrevious(std::string_view line, std::string_view previous,
                                       const std::vector<std::string>& killed = {});
// With or without its line feed.
[[nodiscard]] std::string LineHash(std::string_view line);
[[nodiscard]] bool IsLineHash(std::string_view text);

class AuditChain {
 public:
  // `anchors`: hashes of lines that were in the log once, which nobody can have removed since.
  explicit AuditChain(std::set<std::string> anchors) : missing_(std::move(anchors)) {}

  // `line` without its line feed. Errors: kSchema, the message says what is wrong with it.
  [[nodiscard]] Status Take(std::string_view line);
  // Errors: kSchema, an anchor was not met.
  [[nodiscard]] Status Finish() const;

  [[nodiscard]] std::uint64_t Lines() const { return lines_; }
  // Older lines, before the first that names the one before it: only the last of them is held by the chain.
  [[nodiscard]] std::uint64_t Unchained() const { return unchained_; }
  [[nodiscard]] const std::string& Head() const { return head_; }
  // Runs that begin and do not end here: they go on, were killed, or their end was cut off.
  [[nodiscard]] const std::set<std::string>& Open() const { return open_; }

 private:
  [[nodiscard]] Status Link(const std::string& previous, const std::set<std::string>& killed);

  std::uint64_t lines_ = 0;
  std::uint64_t unchained_ = 0;
  std::string head_ = ChainStart();
  std::set<std::string> open_ = {};
  std::set<std::string> missing_;
};

}  // namespace mxc
