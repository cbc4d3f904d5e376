// Names, ports and URLs of the network section.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mxc/error.h"
#include "mxc/network.h"

namespace mxc {

// 1 to 65535, without leading zeros.
[[nodiscard]] std::optional<std::uint16_t> ParsePort(std::string_view text);

enum class Wildcard { kAllowed, kForbidden };

// Letters, digits and hyphens in labels of up to 63, the last of them no number; with kAllowed also
// "*.example.com", and "*" for every name.
[[nodiscard]] bool IsHostName(std::string_view text, Wildcard wildcard);

// The host of what was meant as one: "foo.com" of "https://foo.com:8443/x" and of "foo.com/x", an address of
// a URL alone ("10.0.0.1/x" may be a block); "" where nothing stands around it, or it is none.
[[nodiscard]] std::string HostOfUrl(std::string_view text);

// Of "example.com:443": a name, address or block with something behind a colon that was meant as its port.
struct WrittenPort {
  std::string host = {};
  std::optional<std::uint16_t> port = {};  // absent: a number that is none, or no number
};
[[nodiscard]] std::optional<WrittenPort> FindWrittenPort(std::string_view text);

inline constexpr std::string_view kNotAPort = "the port is not a number from 1 to 65535";

struct HostEntry {
  Peer peer = {};
  std::uint16_t port = 0;  // 0: every port
};

// An entry of the legacy host lists: address, block, name or "*.name", with ":port" behind it if need be; an
// IPv6 address with a port stands in brackets. Blanks around it are ignored, host bits cleared.
// Errors: kSchema, the message is the reason alone.
[[nodiscard]] Result<HostEntry> ParseHostEntry(std::string_view text);

struct ProxyUrl {
  std::string scheme = {};  // "http" or "https"
  std::string host = {};    // lower case, IPv6 without brackets
  std::uint16_t port = 0;

  [[nodiscard]] std::string Text() const;
  [[nodiscard]] bool IsLoopback() const;  // localhost, 127.0.0.0/8 or ::1
};

// Errors: kSchema, the message is the reason alone and shows nothing of the URL: it may carry a password.
[[nodiscard]] Result<ProxyUrl> ParseProxyUrl(std::string_view text);

}  // namespace mxc
