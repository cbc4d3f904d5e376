// What launcher and daemon say to each other: a connection to the daemon's socket, one call over it, and an
// answer.
//
// Before either says anything it asks the kernel who is at the other end (base/peer.h): a socket that shows
// through a grant, or that a command has put in the place of a daemon's, is of no use to it. A call names the
// sandbox that it is for, and no other daemon obeys it. No call carries a descriptor. An answer is one
// message, or, where it is too long for that, a byte and a sealed memory file; a reference to the sandbox's
// /dev/ptmx may go with it.
#pragma once

#include <cstdint>
#include <string>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc::session {

enum class Verb : std::uint32_t { kStart, kExec, kStop, kDeprovision, kStatus, kFollow };

// `daemon` is connected to the socket of that `name` (SandboxId::Name). Errors: kStaleId when the daemon has
// ended, kSetupFailed, also for one that is not outside of every sandbox.
[[nodiscard]] Status SendCall(int daemon, Verb verb, const std::string& name);

// What has been said on a connection of a launcher.
struct Call {
  enum class State { kNone, kGiven, kWrong };  // nothing yet; one; something else, or the end
  State state = State::kNone;
  Verb verb = Verb::kStatus;
};
// `name` is the daemon's own.
[[nodiscard]] Call ReceiveCall(int connection, const std::string& name);

// `multiplexer`: borrowed, -1: none. Errors, of which none has been sent: kSetupFailed, also when the
// launcher has gone away.
[[nodiscard]] Status SendReply(int connection, const std::string& text, int multiplexer = -1);
// Errors: kStaleId when the daemon ends meanwhile, kSetupFailed, also for more than kMaxReplyBytes.
[[nodiscard]] Result<std::string> ReceiveReply(int connection, UniqueFd* multiplexer = nullptr);

}  // namespace mxc::session
