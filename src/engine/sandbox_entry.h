// This program as what a tool executes at last in a sandbox that it has built: it locks the mounts, drops
// what that took, loads the seccomp program, which would have refused it, and becomes the command.
//
//   if (argc > 6 && argv[1] == kSandboxEntryFlag) return RunSandboxEntry(arguments.subspan(2));
#pragma once

#include <span>

#include "mxc/sandbox/linux_sandbox.h"

namespace mxc {

// `arguments`: the numbers of a descriptor of the host's /proc, of a SeccompProfile, of a file with the
// environment (names and values, each with a NUL behind it), and of a watch socket or -1; then the command,
// looked up on its own PATH, and nullptr. Returns the exit status of a command that cannot be executed: 127,
// or 126.
int RunSandboxEntry(std::span<char* const> arguments);

namespace engine {

// All but the command. `watch_socket`: borrowed; where a listener of its connections goes, or -1. Failures
// are told on standard error, and end the process.
void FinishSandbox(int proc, SeccompProfile profile, int watch_socket = -1);

// The number that an argument names, a descriptor or an enumerator; -1: none.
int NumberIn(const char* text);

}  // namespace engine
}  // namespace mxc
