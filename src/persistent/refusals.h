// What a request of the lifecycle is refused with, in the same words on every system.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"

namespace mxc::session {

// Whoever has provisioned anything has a place for its records.
[[nodiscard]] Error NotProvisioned();
[[nodiscard]] Error NoSuchSandbox();
[[nodiscard]] Error SandboxDied(const std::string& how);  // "its daemon was killed"
// Its time was over; `left` is said with that.
[[nodiscard]] Error SandboxExpired(const std::string& how, const std::vector<Warning>& left);
[[nodiscard]] Error AlreadyStarted();
// `stopped`: it was started once.
[[nodiscard]] Error NothingToStop(bool stopped);
[[nodiscard]] Error NotStarted(bool stopped);
[[nodiscard]] Error TooManyCommands();
// Than kMaxReplyBytes.
[[nodiscard]] Error ReplyTooLong();

}  // namespace mxc::session
