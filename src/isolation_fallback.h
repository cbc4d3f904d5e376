// What "process" and "auto" mean on this Linux, and what may follow when the kernel refuses it at launch:
// the isolation fallback of docs/adr/0008.
#pragma once

#include <optional>

#include "mxc/backend.h"
#include "mxc/host.h"

namespace mxc {

// A containment, and what its quick probe says of this host.
struct Found {
  Containment containment = Containment::kNamespaces;
  Support support = {};
};

// The strongest containment that looks usable: our own engine, bubblewrap, Landlock alone. When none does,
// the first, whose refusal says why.
[[nodiscard]] Found LinuxProcess(const Host& host);

struct Fallback {
  Containment containment = Containment::kNamespaces;
  IsolationLevel isolation_level = IsolationLevel::kNone;
};
// The next isolation level below a plan that the kernel refused (kUnavailable); nothing at the end of the
// isolation fallback. `any_process`: the configuration asked for "process", "auto" or nothing, and not for
// one containment.
[[nodiscard]] std::optional<Fallback> NextFallback(IsolationLevel isolation_level, bool any_process);

}  // namespace mxc
