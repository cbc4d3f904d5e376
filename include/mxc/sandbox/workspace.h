// A directory of the host that stands under another path inside (`process.workspace`). What decides about
// files names them as the host does; what the command sees, and what is mounted, as they stand inside.
#pragma once

#include <string>
#include <string_view>

namespace mxc {

inline constexpr std::string_view kStandardWorkspace = "/workspace";

struct Workspace {
  std::string host = {};     // canonical; empty: there is none, and every path is the same inside
  std::string guest = {};    // absolute, without "." and ".."; nothing of the host shows there
  std::string pointer = {};  // of the clause

  // Of a path of the host's, where it stands inside; and back. Other paths stay as they are.
  [[nodiscard]] std::string Inside(std::string_view path) const;
  [[nodiscard]] std::string OnHost(std::string_view path) const;
};

}  // namespace mxc
