// The privileges that the gateway drops before it reads the first byte from inside: it parses untrusted
// input.
#pragma once

#include <sys/types.h>

#include <vector>

#include "gateway/dns/resolver_files.h"

namespace mxc::egress {

// Dies with `parent`, in this order, before anything else is done. false: it has died already.
[[nodiscard]] bool DieWith(pid_t parent);
// Every signal but KILL stays pending for good.
void IgnoreSignals();
// Closes every descriptor that is not in the list. The standard streams become /dev/null: a library that
// complains must not do so into a connection.
[[nodiscard]] bool KeepOnly(std::vector<int> descriptors);

// No capabilities, no new ones, nobody may look into its memory; of the file system only the resolver's
// files, for reading (where the kernel has Landlock); no system calls but those of a relay. false with errno.
[[nodiscard]] bool Confine(const ResolverFiles& files);

}  // namespace mxc::egress
