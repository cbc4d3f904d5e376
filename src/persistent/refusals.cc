#include "persistent/refusals.h"

#include <fmt/core.h>

#include <utility>

#include "mxc/limits.h"

namespace mxc::session {
namespace {

Error AboutSandbox(ErrorCode code, std::string message, std::string hint = {}) {
  return {.code = code, .message = std::move(message), .pointer = "/sandboxId", .hint = std::move(hint)};
}

}  // namespace

Error NotProvisioned() {
  return AboutSandbox(ErrorCode::kNotProvisioned, "you have provisioned no sandbox on this machine",
                      "send the phase provision first, as the same user");
}

Error NoSuchSandbox() {
  return AboutSandbox(ErrorCode::kStaleId, "there is no such sandbox (any more)", "provision another");
}

Error SandboxDied(const std::string& how) {
  return AboutSandbox(ErrorCode::kStaleId, "the sandbox is gone: " + how,
                      "deprovision it, and provision another");
}

Error SandboxExpired(const std::string& how, const std::vector<Warning>& left) {
  std::string message = "the sandbox is gone: " + how;
  for (const Warning& warning : left) message += "; " + warning.message;
  return AboutSandbox(ErrorCode::kStaleId, std::move(message), "provision another");
}

Error AlreadyStarted() {
  return AboutSandbox(ErrorCode::kAlreadyStarted, "the sandbox is started already",
                      "use it with the phase exec");
}

Error NothingToStop(bool stopped) {
  return stopped ? AboutSandbox(ErrorCode::kAlreadyStopped, "the sandbox is stopped already")
                 : AboutSandbox(ErrorCode::kNotStarted, "the sandbox was never started");
}

Error NotStarted(bool stopped) {
  return AboutSandbox(ErrorCode::kNotStarted,
                      stopped ? "the sandbox is stopped" : "the sandbox has not been started",
                      "send the phase start first");
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
