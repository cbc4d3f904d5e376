#include "backends/linux/path_order.h"

#include <algorithm>

namespace mxc::linux_backend {

bool IsBelow(std::string_view path, std::string_view ancestor) {
  if (ancestor == "/") return path.size() > 1;
  return path.size() > ancestor.size() && path[ancestor.size()] == '/' && path.starts_with(ancestor);
}

bool PathBefore(std::string_view left, std::string_view right) {
  // "/" sorts before every other byte, so that "/a/b" stands between "/a" and "/a-b". The root is "" + "/".
  if (left == "/" || right == "/") return left == "/" && right != "/";
  const auto [l, r] = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  if (r == right.end()) return false;
  if (l == left.end()) return true;
  const auto rank = [](char c) { return c == '/' ? 0 : 1 + static_cast<int>(static_cast<unsigned char>(c)); };
  return rank(*l) < rank(*r);
}

std::string_view NextOnTheWay(std::string_view ancestor, std::string_view path) {
  const std::size_t from = ancestor == "/" ? 1 : ancestor.size() + 1;
  return path.substr(0, std::min(path.find('/', from), path.size()));
}

}  // namespace mxc::linux_backend
