// What flags take: 5m, 2G, 8080:80, ~/x. Errors: kUsage, with the name of the flag.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

[[nodiscard]] Error UsageError(std::string message, std::string hint = {});

// "90s", "5m", "2h", "500ms"; a bare number is of milliseconds.
[[nodiscard]] Result<std::uint32_t> MillisecondsOf(std::string_view flag, const std::string& text);
// Other programs take a bare number for seconds. Of less than 1000 milliseconds: what it means here; else "".
[[nodiscard]] std::string NoteOfBareTime(std::string_view flag, std::string_view text);
// "512M", "1.5G", "1T": in units of 1048576 bytes.
[[nodiscard]] Result<std::uint64_t> MegabytesOf(std::string_view flag, const std::string& text);
// As JSON writes it: "1.5".
[[nodiscard]] Result<std::string> DecimalOf(std::string_view flag, const std::string& text);

// A path as typed in a shell: relative to where the caller stands, `~` for HOME.
[[nodiscard]] Result<std::string> PathOfFlag(const std::string& path, const Host& host);

struct PortPair {
  std::uint16_t host = 0;
  std::uint16_t guest = 0;
};
// "8080:80", or "8080" for the same on both sides.
[[nodiscard]] Result<PortPair> PortsOf(std::string_view flag, const std::string& text);

}  // namespace mxc
