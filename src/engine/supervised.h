// A sandbox without namespaces, in the child: init outside the command's Landlock domain, holding its
// processes together. Only system calls.
#pragma once

#include <sys/types.h>

#include <span>

#include "engine/child.h"

namespace mxc::engine {

// Makes init the one that adopts and ends what the command starts, before anything is started.
void BeginSupervision(Child& child);
// kill(-1) reaches nothing but what the command has started.
void KeepSignalsInside(Child& child);
// In the command's process, last before execve: what init itself must stay free of.
void ConfineCommand(const Child& child);
// -1 with errno where the kernel does not show the children of a process in /proc.
[[nodiscard]] int CheckChildrenShow();
// A command that forks and exits for ever feeds every loop that reaps: after so many, orders come first.
inline constexpr int kMostReaped = 256;
// Kills the children of this process, those in `spared` excepted; their orphans become its children. False:
// there were none, dead ones included.
bool KillChildren(std::span<const pid_t> spared = {});
// The name of a child of this process that is in `session`, unless it ends in a moment; "" when there is
// none. A daemon has a session of its own.
[[nodiscard]] ProcessName LeftIn(pid_t session);
// Kills everything the command has started and waits for it; then its temporary files are removed. In a
// persistent sandbox a command that forks faster is left to init: then we adopt no longer.
void EndSupervision(const Child& child);

}  // namespace mxc::engine
