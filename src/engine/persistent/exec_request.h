// A command on its way into a persistent sandbox: one message with the standard streams, the private terminal
// and the watch socket, if there are any. A long command is in a memfd, which is the last descriptor.
//
// Format: a header, slots of eight bytes, then strings. A slot is the offset of a string, 0 ends a list. The
// lists are paths and arguments of the command, those of the plain one, and the environment; the last slot is
// the working directory. The receiver parses nothing: it turns offsets into addresses.
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/program.h"
#include "engine/report.h"
#include "mxc/error.h"

namespace mxc::engine {

// kNotStarted: the sandbox has ended, or has not started.
[[nodiscard]] Error NobodyTookIt();
// The report that the daemon sends in init's place if init has ended.
inline constexpr Report kNobody = {.event = Event::kFailed, .step = Step::kSpawn, .number = ESRCH};

// In the launcher. Sends streams and terminal of `program`; for a stream of -1, our own. Errors:
// kSetupFailed, kNotStarted if the sandbox has ended.
[[nodiscard]] Status SendCommand(int connection, const Program& program);

inline constexpr std::size_t kMaxMessage = 8192;  // a longer command goes into a memfd

struct ReceivedCommand {  // NOLINT(*-member-init): message is filled by what arrives
  Command command = {};
  alignas(std::uint64_t) std::array<char, kMaxMessage> message;
  std::span<char> mapped = {};  // the file, if there is one
};

// In the sandbox, with system calls only. False: the launcher is gone, or what it sent is not a command.
[[nodiscard]] bool ReceiveCommand(int connection, ReceivedCommand& received);
// Erases it from memory. The caller closes the descriptors.
void Forget(ReceivedCommand& received);

}  // namespace mxc::engine
