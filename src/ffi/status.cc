#include "ffi/status.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "ffi/scan.h"

namespace mxc::ffi {
namespace {

constexpr std::size_t kMaxLineBytes = 1U << 20U;
constexpr std::size_t kMaxWarnings = 100;

// In the order of MxcStatus.
constexpr std::string_view kCodes[] = {"malformed_request", "unsupported_containment",
                                       "unsupported_phase", "backend_unavailable",
                                       "malformed_id",      "stale_id",
                                       "not_provisioned",   "not_started",
                                       "already_started",   "already_stopped",
                                       "policy_validation", "backend_error"};

}  // namespace

Failure FailureOf(std::string_view error) {
  const std::string code = TextMember(error, "code");
  const auto known = std::find(std::begin(kCodes), std::end(kCodes), code);
  const auto index = static_cast<std::int32_t>(known - std::begin(kCodes));
  return {.status = known == std::end(kCodes) ? std::int32_t{MXC_BACKEND_ERROR} : 1 + index,
          .message = TextMember(error, "message"),
          .remediation = TextMember(error, "hint")};
}

bool StatusLines::Read(int borrowed_fd) {
  for (;;) {
    char buffer[4096];
    const ssize_t count = ::read(borrowed_fd, &buffer[0], sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    rest_.append(&buffer[0], static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos;) {
      Take(std::string_view(rest_).substr(0, end));
      rest_.erase(0, end + 1);
    }
    if (rest_.size() > kMaxLineBytes) rest_.clear();
  }
}

void StatusLines::Take(std::string_view line) {
  const std::string event = TextMember(line, "event");
  if (event == "started") started_ = true;
  if (event == "error" && !refusal_.Failed()) refusal_ = FailureOf(MemberOf(line, "error"));
  if (event == "outcome") TakeOutcome(line);
  if (event == "warning" && MemberOf(line, "told") == "true" && warnings_.size() < kMaxWarnings)
    warnings_.push_back(TextMember(line, "message"));
}

// A limit of the policy that ended the command has an exit status of its own, and no exit code.
void StatusLines::TakeOutcome(std::string_view line) {
  started_ = true;
  told_ = true;
  timed_out_ = MemberOf(line, "timedOut") == "true";
  const bool interrupted = MemberOf(line, "interruptedBy") != "null" && MemberOf(line, "exitCode") == "null";
  if (timed_out_ || interrupted) return;
  exit_code_ = NumberMember(line, "exitCode").value_or(NumberMember(line, "exitStatus").value_or(-1));
}

std::string StatusLines::Warnings() const {
  std::string json;
  for (const std::string& warning : warnings_) json += (json.empty() ? "[" : ",") + Quoted(warning);
  return json.empty() ? json : json + "]";
}

}  // namespace mxc::ffi
