// A sandbox without namespaces, in the child: init stays outside the command's Landlock domain, adopts its
// processes and ends them. System calls only.
#pragma once

#include <sys/types.h>

#include <span>

#include "engine/child.h"

namespace mxc::engine {

// Makes init the subreaper of all that the command will start; to be called before anything is started.
void BeginSupervision(Child& child);
// Makes kill(-1) reach only processes that the command has started.
void KeepSignalsInside(Child& child);
// In the command's process, last before execve: the restrictions that init must not have.
void ConfineCommand(const Child& child);
// -1 with errno if /proc does not show the children of a process (CONFIG_PROC_CHILDREN).
[[nodiscard]] int CheckChildrenShow();
// A loop that reaps returns after so many, because a command that forks and exits for ever would keep it
// busy.
inline constexpr int kMostReaped = 256;
// Kills the children of this process except `spared`; their orphans become its children. False: there were
// none, not even zombies.
bool KillChildren(std::span<const pid_t> spared = {});
// The name of a child of this process in `session` that does not end within a moment; "": none. Daemons have
// a session of their own.
[[nodiscard]] ProcessName LeftIn(pid_t session);
// Kills everything the command has started, waits for it, and removes its temporary files. In a persistent
// sandbox gives up on a command that forks faster than that, stops adopting, and leaves it to init.
void EndSupervision(const Child& child);

}  // namespace mxc::engine
