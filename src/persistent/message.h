// The protocol between launcher and daemon: a connection to the daemon's socket, one call, one answer.
//
// First each side asks the kernel which process is at the other end (base/peer.h), so that a command gains
// nothing from a daemon's socket that a grant shows, or from a socket of its own in its place. A call names
// its sandbox, and no other daemon obeys it. Calls carry no descriptors. An answer is one message or, if too
// long, a byte and a sealed memfd; a reference to the sandbox's /dev/ptmx may go with it. The daemon awaits
// one byte more, kReported (daemon.h), where the answer tells what the user has to know.
#pragma once

#include <cstdint>
#include <string>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc::session {

enum class Verb : std::uint32_t { kStart, kExec, kStop, kDeprovision, kStatus, kFollow, kSecrets };

// `daemon` is connected to the socket `name` (SandboxId::Name). Errors: kStaleId if the daemon has ended,
// kSetupFailed, also if the process at the other end is inside a sandbox.
[[nodiscard]] Status SendCall(int daemon, Verb verb, const std::string& name);

// The call on a launcher's connection.
struct Call {
  enum class State { kNone, kGiven, kWrong };  // not yet; received; not a call, or the end
  State state = State::kNone;
  Verb verb = Verb::kStatus;
};
// `name` is the daemon's own.
[[nodiscard]] Call ReceiveCall(int connection, const std::string& name);

// `multiplexer`: borrowed, -1: none. Errors: kSetupFailed, also if the launcher has closed the connection;
// nothing was sent then.
[[nodiscard]] Status SendReply(int connection, const std::string& text, int multiplexer = -1);
// Errors: kStaleId if the daemon ends meanwhile, kSetupFailed, also for more than kMaxReplyBytes.
[[nodiscard]] Result<std::string> ReceiveReply(int connection, UniqueFd* multiplexer = nullptr);

}  // namespace mxc::session
