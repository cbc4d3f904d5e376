#include "base/path.h"

#include <algorithm>

namespace mxc {

std::string_view ParentOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos || slash == 0) return "/";
  return path.substr(0, slash);
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  std::string result;
  result.reserve(directory.size() + 1 + name.size());
  result += directory;
  if (directory != "/") result += '/';
  result += name;
  return result;
}

bool PathBefore(std::string_view left, std::string_view right) {
  const std::size_t common = std::min(left.size(), right.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (left[i] == right[i]) continue;
    // '/' sorts before every other byte.
    if (left[i] == '/' || right[i] == '/') return left[i] == '/';
    return static_cast<unsigned char>(left[i]) < static_cast<unsigned char>(right[i]);
  }
  return left.size() < right.size();
}

std::string_view NextOnTheWay(std::string_view ancestor, std::string_view path) {
  const std::size_t from = ancestor == "/" ? 1 : ancestor.size() + 1;
  return path.substr(0, std::min(path.find('/', from), path.size()));
}

std::string UnescapePath(std::string_view text) {
  const auto digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && digit(i + 1) && digit(i + 2) && digit(i + 3)) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

}  // namespace mxc
