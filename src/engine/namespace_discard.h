// The namespaces of a sandbox that has ended, taken apart by the kernel after the launcher has returned.
//
// The last daemon of a mount namespace waits while the kernel takes it apart. That would be init, whose end
// the launcher waits for; the collector of the network namespace then wants init's processor as well.
// Together that is a twentieth of a launch. So both go into the queue of a socket, and the last thing that
// init does is to put the socket itself there: once the launcher has ended, what holds the socket is the
// socket. Such garbage is found when a Unix socket is closed, and a worker of the kernel collects it
// (net/unix/garbage.c; before Linux 6.9 whoever closes the socket does).
//
// Worth 15 % of a launch or more. Measured by tests/bench/paired.py against a program whose Discard::Make returns {}.
//
// By then no process of the sandbox is left, and no process can reach what is left. Wherever a step of this
// fails, the kernel takes the namespaces apart at once: only time is lost.
#pragma once

#include "base/unique_fd.h"

namespace mxc {

// The launcher's ends, open until all else is over.
struct Discard {
  UniqueFd sender = {};  // what is sent here lies in `queue`; closed after it
  UniqueFd queue = {};   // the lower number, so that the kernel closes it first, too

  [[nodiscard]] static Discard Make();
};

namespace engine {

struct Child;

// In init: lays its namespaces into the queue, and closes them.
void PutNamespacesAway(const Child& child);
// At its end. Nothing can be put away from here on.
void SealDiscarded(const Child& child);

}  // namespace engine
}  // namespace mxc
