#include "review/path_patterns.h"

#include <algorithm>

#include "policy/paths/glob.h"

namespace mxc {

bool MayMatchEverything(std::string_view pattern) {
  bool matches = false;
  pattern.remove_prefix(std::min(pattern.find_first_not_of('.'), pattern.size()));
  while (!pattern.empty()) {
    const char c = pattern.front();
    if (pattern.size() > 1 && pattern[1] == '(' &&
        std::string_view("?*+@!").find(c) != std::string_view::npos) {
      const std::size_t end = std::min(pattern.find(')'), pattern.size() - 1);
      const std::string_view inner = pattern.substr(2, end - 2);
      if (c != '!' && inner.find_first_not_of("*?|.") != std::string_view::npos) return false;
      matches = true;
      pattern.remove_prefix(end + 1);
      continue;
    }
    if (c == '[') {
      const std::size_t end = pattern.find(']', 2);
      if (end == std::string_view::npos || end == 2) return false;
      matches = true;
      pattern.remove_prefix(end + 1);
      continue;
    }
    if (c != '*' && c != '?' && !pattern.starts_with(".*")) return false;
    matches |= c != '.';
    pattern.remove_prefix(1);
  }
  return matches;
}

bool MayHold(const std::vector<std::string>& pattern, std::string_view path) {
  const std::vector<std::string> names = Components(path);
  return pattern.size() <= names.size() &&
         std::equal(pattern.begin(), pattern.end(), names.begin(),
                    [](const std::string& each, const std::string& name) { return MatchesName(each, name); });
}

std::string WithoutPatternsAtEnd(std::string path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view last = std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
    if (!last.empty() && last != "." && !MayMatchEverything(last)) break;
    path.resize(slash == std::string::npos ? 0 : slash);
  }
  return path;
}

}  // namespace mxc
