// This program as executed by another tool in the sandbox that the tool has built: it locks the mounts, drops
// the capabilities for that, loads the seccomp program, and executes the command.
//
//   if (argc > 7 && argv[1] == kSandboxEntryFlag) return RunSandboxEntry(arguments.subspan(2));
#pragma once

#include <span>

#include "mxc/sandbox/linux_sandbox.h"

namespace mxc {

// `arguments`: a descriptor of the host's /proc, the number of a SeccompProfile, a descriptor of a file with
// the environment (names and values, each with a NUL behind it), a socket for its mount namespace (a
// Discard's), and a watch socket or -1; then the command, looked up on its own PATH, and nullptr. Returns the
// exit status of a command that cannot be executed: 127 or 126.
int RunSandboxEntry(std::span<char* const> arguments);

namespace engine {

// Everything except executing the command. Both sockets are borrowed: the mount namespace is sent to
// `namespace_socket`, and a seccomp listener for connect(2) to `watch_socket`; -1: to none. A failure is
// written to standard error and ends the process.
void FinishSandbox(int proc, SeccompProfile profile, int namespace_socket, int watch_socket = -1);

// The number in an argument, a descriptor or an enumerator; -1: none.
int NumberIn(const char* text);

}  // namespace engine
}  // namespace mxc
