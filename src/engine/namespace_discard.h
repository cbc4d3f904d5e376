// Lets the kernel destroy the namespaces of an ended sandbox after the launcher has returned.
//
// The process with the last reference to a mount namespace waits while the kernel destroys it. That would be
// init, for whose end the launcher waits; the network namespace's clean-up then competes for init's
// processor. So init sends descriptors of both through a socket pair, and finally the socket itself: once the
// launcher has ended, only the socket's own queue references the socket. The kernel detects such a cycle when
// a Unix socket is closed, and a kernel worker collects it (net/unix/garbage.c; before Linux 6.9 the closing
// process does).
//
// The last close of an inotify descriptor waits likewise, 10 to 20 ms, until no processor can still read its
// marks (fs/notify/mark.c).
//
// Namespaces save 15 % of a launch or more, an inotify descriptor more than half of one with a repository.
// Measured by tests/bench/paired.py against a program whose Discard::Make returns {}.
//
// No process of the sandbox is left by then, and no process can reach the namespaces. If a step fails, the
// kernel destroys them at once, which only takes time.
#pragma once

#include "base/unique_fd.h"

namespace mxc {

// The launcher's ends, to be closed last.
struct Discard {
  UniqueFd sender = {};  // `queue` receives what is sent here; closed after it
  UniqueFd queue = {};   // has the lower number, so that the kernel closes it first at exit, too

  [[nodiscard]] static Discard Make();
  // The command's mount namespace, of which the queue keeps a descriptor; empty: init has sent none.
  [[nodiscard]] UniqueFd Mounts() const;
};

// Closes a descriptor of the launcher's own without waiting for what the kernel does at its last close.
void CloseLater(UniqueFd fd);

namespace engine {

struct Child;

// In init: sends its namespaces into the queue, and closes them.
void PutNamespacesAway(const Child& child);
// In init, last: sends the socket itself, after which nothing can be sent.
void SealDiscarded(const Child& child);

}  // namespace engine
}  // namespace mxc
