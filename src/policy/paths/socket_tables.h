// What is known of the sockets of programs: where they stand, and what whoever connects can do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mxc/host.h"

namespace mxc {

// A directory that is for sockets, by whatever name each has, or will have while a command runs.
struct SocketDirectory {
  std::string_view path;  // "{uid}" stands for the caller, "{home}" and "{runtime}" for his directories
  std::uint32_t mode;     // of what the command sees in its place
  bool made;              // where it is missing, the launcher makes it, as its program would
  std::string_view why;
};

[[nodiscard]] std::span<const SocketDirectory> SocketDirectories();

// What a connection to the socket at `path` can do outside the sandbox; `name`: of the variable that the
// policy gives in place of a path, or "".
[[nodiscard]] std::string_view MeaningOfSocket(std::string_view name, std::string_view path);
// ... is to run any command outside as the caller, in a session or an editor that is open there.
[[nodiscard]] bool RunsAnything(std::string_view path);

// What a variable says of a socket: a path, or "unix:///run/s", "unix:path=/run/s,guid=1", "/tmp/s,123,0".
[[nodiscard]] std::string PathInVariable(std::string_view value);
// The path of an entry of `sockets`; none where its variable is not set.
[[nodiscard]] std::optional<std::string> SocketPath(const std::string& written, const Host& host);

}  // namespace mxc
