// A command on its way into a persistent sandbox: one message with the standard streams, the private terminal
// and the watch socket, if there are such. A long command is in a memory file, which comes behind these.
//
// Its form: a header, then slots of eight bytes, then the texts. A slot is the offset of a text, 0 ends a
// list; the lists are paths and arguments of the command, those of the plain one, and the environment; behind
// them stands the slot of the working directory. So the receiver has nothing to parse: it turns offsets into
// addresses.
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

// There was nothing (any more) that could take a command. kNotStarted.
[[nodiscard]] Error NobodyTookIt();
// What the daemon reports in init's place when init is gone.
inline constexpr Report kNobody = {.event = Event::kFailed, .step = Step::kSpawn, .number = ESRCH};

// In the launcher. Streams and terminal are those of `program`; a stream of -1 is our own. Errors:
// kSetupFailed, kNotStarted when the sandbox has ended.
[[nodiscard]] Status SendCommand(int connection, const Program& program);

inline constexpr std::size_t kMaxMessage = 8192;  // what is longer goes into a file

struct ReceivedCommand {  // NOLINT(*-member-init): message is filled by what arrives
  Command command = {};
  alignas(std::uint64_t) std::array<char, kMaxMessage> message;
  std::span<char> mapped = {};  // the file, if there is one
};

// In the sandbox, with system calls only. False: the launcher is gone, or what it sent is not a command.
[[nodiscard]] bool ReceiveCommand(int connection, ReceivedCommand& received);
// Leaves nothing of it in memory; the descriptors are the caller's.
void Forget(ReceivedCommand& received);

}  // namespace mxc::engine
