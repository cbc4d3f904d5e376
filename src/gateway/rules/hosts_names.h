// Connections to addresses of the host's hosts file. The command sees that file, and the C library reads it
// before it asks a resolver: a program that means an allowed name then connects to the address in the file.
// Such a connection is one to the name, and is judged as if the gateway had resolved it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gateway/rules/filter.h"
#include "gateway/rules/rules.h"

namespace mxc::egress {

// The first name of `address` in the text of a hosts file that may be reached there. Absent: no rule names
// it, or none lets a name lead to this address.
[[nodiscard]] std::optional<std::string> AllowedNameOf(const RuleBook& book, std::string_view hosts,
                                                       const IpAddress& address, Protocol protocol,
                                                       std::uint16_t port);

// Lets connections to these addresses pass the filter; the gateway judges their ports.
void AllowHosts(Filter& filter, const RuleBook& book, std::string_view hosts);

}  // namespace mxc::egress
