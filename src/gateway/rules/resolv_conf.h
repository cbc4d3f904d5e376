// The host's resolver configuration: resolv.conf(5) and hosts(5).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gateway/rules/address.h"

namespace mxc::egress {

struct ResolvConf {
  std::vector<IpAddress> servers = {};   // at most 3, as in the C library; 127.0.0.1 if none is named
  std::vector<std::string> search = {};  // ValidName, at most 6
  std::uint32_t timeout_ms = 5000;       // of one question to one server
  std::uint32_t attempts = 2;            // rounds over all servers
  std::uint32_t dots = 1;                // names with fewer dots are tried in the search domains as well
};

// Skips lines that it does not understand, as the C library does.
[[nodiscard]] ResolvConf ParseResolvConf(std::string_view text);
// The names to ask for, in order: `name` (ValidName), then its forms in the search domains.
[[nodiscard]] std::vector<std::string> FormsOf(const std::string& name, const ResolvConf& conf);
// The addresses of `name` (ValidName) in a hosts file, in its order.
[[nodiscard]] std::vector<IpAddress> FindInHosts(std::string_view text, std::string_view name);

// A hosts file that is asked again and again: read when it is first asked.
class HostsFile {
 public:
  HostsFile() = default;
  explicit HostsFile(std::string text) : text_(std::move(text)) {}

  struct Host {
    IpAddress address = {};
    std::string name = {};  // ValidName
  };
  // As FindInHosts.
  [[nodiscard]] const std::vector<IpAddress>& AddressesOf(const std::string& name) const;
  // In the order of the file, those whose address shares one of its readings with `address`
  // (IpAddress::Readings).
  [[nodiscard]] std::vector<Host> At(const IpAddress& address) const;

 private:
  void Read() const;

  std::string text_ = {};
  mutable bool read_ = false;
  mutable std::vector<Host> hosts_ = {};
  mutable std::unordered_map<std::string, std::vector<IpAddress>> by_name_ = {};
  mutable std::map<IpAddress, std::vector<std::size_t>> by_address_ = {};
};

// Calls `on_host` for each name of a hosts file (ValidName) with its address.
void ForEachHost(std::string_view text,
                 const std::function<void(const IpAddress& address, const std::string& name)>& on_host);

}  // namespace mxc::egress
