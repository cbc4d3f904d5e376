#include "persistent/refusals.h"

#include <fmt/core.h>

#include <utility>

#include "mxc/limits.h"

namespace mxc::session {
namespace {

constexpr const char* kId = "/sandboxId";

}  // namespace

Error NotProvisioned() {
  return {.code = ErrorCode::kNotProvisioned,
          .message = "you have provisioned no sandbox on this machine",
          .pointer = kId,
          .hint = "send the phase provision first, as the same user"};
}

Error NoSuchSandbox() {
  return {.code = ErrorCode::kStaleId,
          .message = "there is no such sandbox (any more)",
          .pointer = kId,
          .hint = "provision another"};
}

Error SandboxDied(const std::string& how) {
  return {.code = ErrorCode::kStaleId,
          .message = "the sandbox is gone: " + how,
          .pointer = kId,
          .hint = "deprovision it, and provision another"};
}

Error SandboxExpired(const std::vector<Warning>& left) {
  std::string message = "the sandbox is gone: its time was over";
  for (const Warning& warning : left) message += "; " + warning.message;
  return {.code = ErrorCode::kStaleId,
          .message = std::move(message),
          .pointer = kId,
          .hint = "provision another"};
}

Error AlreadyStarted() {
  return {.code = ErrorCode::kAlreadyStarted,
          .message = "the sandbox is started already",
          .pointer = kId,
          .hint = "use it with the phase exec"};
}

Error NothingToStop(bool stopped) {
  return {.code = stopped ? ErrorCode::kAlreadyStopped : ErrorCode::kNotStarted,
          .message = stopped ? "the sandbox is stopped already" : "the sandbox was never started",
          .pointer = kId};
}

Error NotStarted(bool stopped) {
  return {.code = ErrorCode::kNotStarted,
          .message = stopped ? "the sandbox is stopped" : "the sandbox has not been started",
          .pointer = kId,
          .hint = "send the phase start first"};
}

Error TooManyCommands() {
  return Unavailable(
      "as many commands run in the sandbox as may at one time (" + std::to_string(kMaxSessionCommands) + ")",
      {}, "wait until some have ended");
}

Error ReplyTooLong() {
  return SetupFailed(fmt::format("what an exec needs of the policy is longer than {} bytes", kMaxReplyBytes),
                     "name directories in place of what is in them");
}

}  // namespace mxc::session
