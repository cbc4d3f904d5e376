// A directory of the host that is mounted at another path inside (`process.workspace`). Rules name its files
// by their host paths; the command and mount targets by their paths inside.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

inline constexpr std::string_view kStandardWorkspace = "/workspace";

struct Workspace {
  std::string host = {};     // canonical; empty: no workspace, and every path is the same inside
  std::string guest = {};    // absolute, without "." and ".."; hides the host's files there
  std::string pointer = {};  // of the clause

  // Translate a host path to the path inside, and back. Other paths stay the same.
  [[nodiscard]] std::string Inside(std::string_view path) const;
  [[nodiscard]] std::string OnHost(std::string_view path) const;
};

}  // namespace mxc
