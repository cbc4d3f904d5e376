// Drops the gateway's privileges before it reads the first byte from inside, because it parses untrusted
// input.
#pragma once

#include <vector>

#include "gateway/dns/resolver_files.h"

namespace mxc::egress {

// Blocks every signal except SIGKILL for good.
void IgnoreSignals();
// Closes every descriptor that is not in the list. The standard streams become /dev/null, so that no library
// writes an error message into a connection.
[[nodiscard]] bool KeepOnly(std::vector<int> descriptors);

// Drops all capabilities and the right to gain new ones, makes the process undumpable, lets it read the
// resolver's files only (if the kernel has Landlock), and allows only the system calls of a relay. False with
// errno.
[[nodiscard]] bool Confine(const ResolverFiles& files);

}  // namespace mxc::egress
