// What is known of the sockets of programs: where they stand, and what whoever connects can do.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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

}  // namespace mxc
