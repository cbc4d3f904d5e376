// What of a command's output is passed on: redacted first, then cut. Bytes in, bytes out, on every system.
//
//   OutputFilter filter = FilterFor(plan);
//   filter.Feed(bytes, out);  // as often as there is data; `out` is appended to
//   filter.Finish(out);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mxc/plan.h"
#include "report/redact.h"

namespace mxc {

class OutputFilter {
 public:
  // max_bytes: of what comes out; 0: no cap. The default passes everything on.
  explicit OutputFilter(std::uint64_t max_bytes = 0, std::optional<RedactionRules> redaction = {});

  void Feed(std::string_view bytes, std::string& out);
  // Nothing has come for kIdleMs: lets go of what is most likely no match.
  void Idle(std::string& out);
  void Finish(std::string& out);
  // Of ours, behind the command's; cut like it.
  void Append(std::string_view text, std::string& out);

  [[nodiscard]] bool Holding() const { return redactor_ && redactor_->Holding(); }
  [[nodiscard]] bool Truncated() const { return truncated_; }
  // The first bytes that came, for messages.
  [[nodiscard]] const std::string& Head() const { return head_; }

  static constexpr std::uint64_t kIdleMs = 50;

 private:
  std::uint64_t room_;
  std::optional<Redactor> redactor_ = {};
  bool truncated_ = false;
  std::string head_ = {};
};

// Of one of the two streams of the plan's command.
[[nodiscard]] OutputFilter FilterFor(const Plan& plan);

}  // namespace mxc
