#include "mxc/error.h"

#include <system_error>

namespace mxc {

Error SystemError(ErrorCode code, std::string_view what, int number) {
  return {.code = code, .message = std::string(what) + ": " + std::generic_category().message(number)};
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
    case ErrorCode::kSetupFailed:
    case ErrorCode::kTimeout:
    case ErrorCode::kOutputLost:
    case ErrorCode::kInternal:
      return 255;
  }
  return 255;
}

}  // namespace mxc
