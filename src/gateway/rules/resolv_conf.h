// How the host resolves names: resolv.conf(5) and hosts(5).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/rules/address.h"

namespace mxc::egress {

struct ResolvConf {
  std::vector<IpAddress> servers = {};   // at most 3, as the C library; 127.0.0.1 when none is named
  std::vector<std::string> search = {};  // ValidName, at most 6
  std::uint32_t timeout_ms = 5000;       // of one question to one server
  std::uint32_t attempts = 2;            // rounds over all servers
  std::uint32_t dots = 1;                // names with fewer are tried in the search domains as well
};

// Lines it does not understand are passed over, as the C library does.
[[nodiscard]] ResolvConf ParseResolvConf(std::string_view text);
// Addresses that a hosts file gives to `name` (ValidName), in its order.
[[nodiscard]] std::vector<IpAddress> FindInHosts(std::string_view text, std::string_view name);

// Each name of a hosts file, in the form of ValidName, with its address.
void ForEachHost(std::string_view text,
                 const std::function<void(const IpAddress& address, const std::string& name)>& on_host);

}  // namespace mxc::egress
