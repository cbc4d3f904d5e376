#include "mxc/error.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
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
     "up, mxc-exec's own counted: end other processes, or raise the limit (`processes` of the sandbox, "
     "ulimit -u, TasksMax= of systemd, --pids-limit of a container)"},
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

struct CodeTraits {
  ErrorCode code;
  std::string_view name;
  std::string_view wire;  // "": the name
  int exit_status = 255;
};

constexpr std::string_view kMalformedRequest = "malformed_request";
constexpr std::string_view kBackendUnavailable = "backend_unavailable";
constexpr std::string_view kPolicyValidation = "policy_validation";
constexpr std::string_view kBackendError = "backend_error";

constexpr CodeTraits kCodes[] = {
    {ErrorCode::kUsage, "usage", kMalformedRequest, 2},
    {ErrorCode::kMalformed, "malformed", kMalformedRequest, 1},
    {ErrorCode::kSchema, "schema", kMalformedRequest, 1},
    {ErrorCode::kConflict, "policy_conflict", kPolicyValidation},
    {ErrorCode::kUnsupported, "unsupported", "unsupported_containment", 1},
    {ErrorCode::kGated, "experimental", kBackendUnavailable, 1},
    {ErrorCode::kNotBuilt, "not_built", kBackendUnavailable},
    {ErrorCode::kUnavailable, "unavailable", kBackendUnavailable},
    {ErrorCode::kUnenforceable, "unenforceable", kPolicyValidation},
    {ErrorCode::kApprovalRequired, "approval_required", kPolicyValidation},
    {ErrorCode::kSetupFailed, "setup_failed", kBackendError},
    {ErrorCode::kTimeout, "timeout", kBackendError},
    {ErrorCode::kOutputLost, "output_lost", kBackendError},
    {ErrorCode::kMalformedId, "malformed_id", "", 1},
    {ErrorCode::kStaleId, "stale_id", "", 1},
    {ErrorCode::kUnsupportedPhase, "unsupported_phase", "", 1},
    {ErrorCode::kNotProvisioned, "not_provisioned", "", 1},
    {ErrorCode::kNotStarted, "not_started", "", 1},
    {ErrorCode::kAlreadyStarted, "already_started", "", 1},
    {ErrorCode::kAlreadyStopped, "already_stopped", "", 1},
    {ErrorCode::kInternal, "internal", kBackendError},
};

constexpr bool CodesAreInOrder() {
  for (std::size_t i = 0; i < std::size(kCodes); ++i)
    if (static_cast<std::size_t>(kCodes[i].code) != i) return false;
  return static_cast<std::size_t>(ErrorCode::kInternal) + 1 == std::size(kCodes);
}
static_assert(CodesAreInOrder(), "RowOf takes the enumerator for an index");

// Of a number that is none of them, as another process may send one: the last.
const CodeTraits& RowOf(ErrorCode code) {
  return kCodes[std::min(static_cast<std::size_t>(code), std::size(kCodes) - 1)];
}

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

Error Unsupported(std::string message, std::string pointer, std::string hint) {
  Error error = Conflict(std::move(message), std::move(pointer), std::move(hint));
  error.code = ErrorCode::kUnsupported;
  return error;
}

Error Unavailable(std::string message, std::string pointer, std::string hint) {
  Error error = Conflict(std::move(message), std::move(pointer), std::move(hint));
  error.code = ErrorCode::kUnavailable;
  return error;
}

Error SetupFailed(std::string message, std::string hint) {
  return {.code = ErrorCode::kSetupFailed, .message = std::move(message), .hint = std::move(hint)};
}

std::string_view Name(ErrorCode code) { return RowOf(code).name; }

std::string_view WireCode(ErrorCode code) {
  const CodeTraits& traits = RowOf(code);
  return traits.wire.empty() ? traits.name : traits.wire;
}

ErrorCode ErrorCodeNamed(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kCodes), std::end(kCodes),
                                         [name](const CodeTraits& row) { return row.name == name; });
  return found == std::end(kCodes) ? ErrorCode::kInternal : found->code;
}

int ExitStatus(ErrorCode code) { return RowOf(code).exit_status; }

}  // namespace mxc
