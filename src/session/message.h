// What launcher and holder say to each other: a call to the holder's socket, which brings a connection along,
// and an answer over that.
//
// Both show where they stand: their message carries a descriptor of their pid namespace, which nothing inside
// a sandbox can get hold of. A socket that shows through a grant, or that a command has put in the place of a
// holder's, is of no use to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc::session {

enum class Verb : std::uint32_t { kStart, kExec, kStop, kDeprovision, kStatus };

// `holder` is connected to the holder's socket; the connection for the answer. Errors: kStaleId when the
// holder has ended, kSetupFailed.
[[nodiscard]] Result<UniqueFd> SendCall(int holder, Verb verb);

struct Call {
  Verb verb = Verb::kStatus;
  UniqueFd connection = {};
};
// From the holder's own user, or root. Nothing: not one of ours, or nothing there yet.
[[nodiscard]] std::optional<Call> ReceiveCall(int socket);

// Lost when the launcher has gone away.
void SendReply(int connection, const std::string& text);
// Errors: kStaleId when the holder ends meanwhile, kSetupFailed for one that is not one of ours.
[[nodiscard]] Result<std::string> ReceiveReply(int connection);

}  // namespace mxc::session
