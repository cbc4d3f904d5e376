// The errors of lifecycle requests, in the same words on every system.
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"

namespace mxc::session {

// The caller has never provisioned a sandbox: there is no directory for records.
[[nodiscard]] Error NotProvisioned();
[[nodiscard]] Error NoSuchSandbox();
[[nodiscard]] Error SandboxDied(const std::string& how);  // "its daemon was killed"
// Its time was over; the error mentions `left`.
[[nodiscard]] Error SandboxExpired(const std::string& how, const std::vector<Warning>& left);
[[nodiscard]] Error AlreadyStarted();
// `stopped`: it was started once.
[[nodiscard]] Error NothingToStop(bool stopped);
[[nodiscard]] Error NotStarted(bool stopped);
[[nodiscard]] Error TooManyCommands();
// Longer than kMaxReplyBytes.
[[nodiscard]] Error ReplyTooLong();

}  // namespace mxc::session
