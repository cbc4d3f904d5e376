#include "mxc/sandbox/workspace.h"

namespace mxc {
namespace {

std::string Moved(std::string_view path, std::string_view from, std::string_view to) {
  const bool at_or_below =
      !from.empty() && path.starts_with(from) && (path.size() == from.size() || path[from.size()] == '/');
  return at_or_below ? std::string(to).append(path.substr(from.size())) : std::string(path);
}

}  // namespace

std::string Workspace::Inside(std::string_view path) const { return Moved(path, host, guest); }

std::string Workspace::OnHost(std::string_view path) const { return Moved(path, guest, host); }

}  // namespace mxc
