// Sockets of well-known programs: where they are, and what a client can do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mxc/host.h"

namespace mxc {

// A directory for sockets of any name, also of those created while a command runs.
struct SocketDirectory {
  std::string_view
      path;            // "{uid}" stands for the caller, "{home}" and "{runtime}" for the caller's directories
  std::uint32_t mode;  // of what the command sees in its place
  bool made;           // if it is missing, the launcher creates it, as its program would
  std::string_view why;
};

[[nodiscard]] std::span<const SocketDirectory> SocketDirectories();

// What a connection to the socket at `path` can do outside the sandbox; `name`: of the variable that the
// policy gives in place of a path, or "".
[[nodiscard]] std::string_view MeaningOfSocket(std::string_view name, std::string_view path);
// Whether it can run any command outside as the caller, in an open session or editor.
[[nodiscard]] bool RunsAnything(std::string_view path);

// What a variable says of a socket: a path, or "unix:///run/s", "unix:path=/run/s,guid=1", "/tmp/s,123,0".
[[nodiscard]] std::string PathInVariable(std::string_view value);
// The path of an entry of `sockets`; absent if its variable is not set.
[[nodiscard]] std::optional<std::string> SocketPath(const std::string& written, const Host& host);

}  // namespace mxc
