#include "mxc/error.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include "mxc/limit_hint.h"

namespace mxc {
namespace {

struct LimitHint {
  int number = 0;
  std::string_view hint = {};
};

constexpr LimitHint kLimitHints[] = {
    {EAGAIN,
     "the limit on this user's processes (RLIMIT_NPROC) or on those of a control group (pids.max) is used "
     "up, "
     "mxc-exec's own counted: end other processes, or raise the limit (ulimit -u, TasksMax= of systemd, "
     "--pids-limit of a container)"},
    {EMFILE,
     "the limit on open files of a process (RLIMIT_NOFILE) is too low: raise it (ulimit -n, LimitNOFILE= of "
     "systemd)"},
    {ENFILE, "the system has no more open files: end other processes, or raise the sysctl fs.file-max"},
#ifdef ETOOMANYREFS  // Windows has no such error
    {ETOOMANYREFS,
     "this user's programs have more descriptors in flight between sockets than one of them may have open "
     "(RLIMIT_NOFILE): end the one that leaves them unread, a sandboxed command for instance"},
#endif
    {ENOMEM,
     "the kernel has no memory for it: end other processes, or raise the limits of memory (ulimit -v, "
     "MemoryMax= of systemd)"},
};

}  // namespace

std::string_view HintOf(int number) {
  for (const LimitHint& limit : kLimitHints) {
    if (limit.number == number) return limit.hint;
  }
  return "";
}

std::string_view HintIn(std::string_view message) {
  for (const LimitHint& limit : kLimitHints) {
    if (message.find(std::generic_category().message(limit.number)) != std::string_view::npos)
      return limit.hint;
  }
  return "";
}

Error SystemError(ErrorCode code, std::string_view what, int number) {
  Error error{.code = code, .message = std::string(what) + ": " + std::generic_category().message(number)};
  if (code == ErrorCode::kSetupFailed) error.hint = HintOf(number);
  return error;
}

Error Conflict(std::string message, std::string pointer, std::string hint) {
  return {.code = ErrorCode::kConflict,
          .message = std::move(message),
          .pointer = std::move(pointer),
          .hint = std::move(hint)};
}

Error Unenforceable(std::string message, std::string pointer, std::string hint) {
  Error error = Conflict(std::move(message), std::move(pointer), std::move(hint));
  error.code = ErrorCode::kUnenforceable;
  return error;
}

std::string_view Name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kSchema:
      return "schema";
    case ErrorCode::kConflict:
      return "policy_conflict";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kGated:
      return "experimental";
    case ErrorCode::kNotBuilt:
      return "not_built";
    case ErrorCode::kUnavailable:
      return "unavailable";
    case ErrorCode::kUnenforceable:
      return "unenforceable";
    case ErrorCode::kApprovalRequired:
      return "approval_required";
    case ErrorCode::kSetupFailed:
      return "setup_failed";
    case ErrorCode::kTimeout:
      return "timeout";
    case ErrorCode::kOutputLost:
      return "output_lost";
    case ErrorCode::kMalformedId:
      return "malformed_id";
    case ErrorCode::kStaleId:
      return "stale_id";
    case ErrorCode::kUnsupportedPhase:
      return "unsupported_phase";
    case ErrorCode::kNotProvisioned:
      return "not_provisioned";
    case ErrorCode::kNotStarted:
      return "not_started";
    case ErrorCode::kAlreadyStarted:
      return "already_started";
    case ErrorCode::kAlreadyStopped:
      return "already_stopped";
    case ErrorCode::kInternal:
      return "internal";
  }
  return "internal";
}

std::string_view WireCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kMalformed:
    case ErrorCode::kSchema:
      return "malformed_request";
    case ErrorCode::kUnsupported:
      return "unsupported_containment";
    case ErrorCode::kGated:
    case ErrorCode::kNotBuilt:
    case ErrorCode::kUnavailable:
      return "backend_unavailable";
    case ErrorCode::kConflict:
    case ErrorCode::kUnenforceable:
    case ErrorCode::kApprovalRequired:
      return "policy_validation";
    case ErrorCode::kSetupFailed:
    case ErrorCode::kTimeout:
    case ErrorCode::kOutputLost:
    case ErrorCode::kInternal:
      return "backend_error";
    case ErrorCode::kMalformedId:
    case ErrorCode::kStaleId:
    case ErrorCode::kUnsupportedPhase:
    case ErrorCode::kNotProvisioned:
    case ErrorCode::kNotStarted:
    case ErrorCode::kAlreadyStarted:
    case ErrorCode::kAlreadyStopped:
      return Name(code);
  }
  return "backend_error";
}

ErrorCode ErrorCodeNamed(std::string_view name) {
  constexpr auto kLast = static_cast<int>(ErrorCode::kInternal);
  for (int number = 0; number < kLast; ++number) {
    if (Name(static_cast<ErrorCode>(number)) == name) return static_cast<ErrorCode>(number);
  }
  return ErrorCode::kInternal;
}

int ExitStatus(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return 2;
    case ErrorCode::kMalformed:
    case ErrorCode::kSchema:
    case ErrorCode::kUnsupported:
    case ErrorCode::kGated:
    case ErrorCode::kMalformedId:
    case ErrorCode::kStaleId:
    case ErrorCode::kUnsupportedPhase:
    case ErrorCode::kNotProvisioned:
    case ErrorCode::kNotStarted:
    case ErrorCode::kAlreadyStarted:
    case ErrorCode::kAlreadyStopped:
      return 1;
    case ErrorCode::kConflict:
    case ErrorCode::kNotBuilt:
    case ErrorCode::kUnavailable:
    case ErrorCode::kUnenforceable:
    case ErrorCode::kApprovalRequired:
    case ErrorCode::kSetupFailed:
    case ErrorCode::kTimeout:
    case ErrorCode::kOutputLost:
    case ErrorCode::kInternal:
      return 255;
  }
  return 255;
}

}  // namespace mxc
