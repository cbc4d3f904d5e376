// Filters a command's output: redacts first, then truncates. Bytes in, bytes out, on every system.
//
//   OutputFilter filter = FilterFor(plan);
//   filter.Feed(bytes, out);  // as often as there is data; `out` is appended to
//   filter.Finish(out);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mxc/plan.h"
#include "report/redact.h"

namespace mxc {

class OutputFilter {
 public:
  // max_bytes: of the filtered output; 0: no cap. The default passes everything on.
  explicit OutputFilter(std::uint64_t max_bytes = 0, std::optional<RedactionRules> redaction = {});

  void Feed(std::string_view bytes, std::string& out);
  // To be called when no input has come for kIdleMs: passes on held bytes that are most likely no match.
  void Idle(std::string& out);
  void Finish(std::string& out);
  // Appends text of the launcher's behind the command's output; truncated like it.
  void Append(std::string_view text, std::string& out);

  [[nodiscard]] bool Holding() const { return redactor_ && redactor_->Holding(); }
  [[nodiscard]] bool Truncated() const { return truncated_; }
  // The first bytes that came, at most kMaxHeadBytes, for messages.
  [[nodiscard]] const std::string& Head() const { return head_; }

  static constexpr std::uint64_t kIdleMs = 50;
  static constexpr std::size_t kMaxHeadBytes = 1024;

 private:
  std::uint64_t room_;
  std::optional<Redactor> redactor_ = {};
  bool truncated_ = false;
  std::string head_ = {};
};

// The filter for either output stream of the plan's command.
[[nodiscard]] OutputFilter FilterFor(const Plan& plan);

}  // namespace mxc
