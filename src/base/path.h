// Canonical paths as text: no "." or "..", no slash at the end, bytes of any kind.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace mxc {

// Of a map from which a path is looked up without a copy of it.
struct PathHash : std::hash<std::string_view> {
  using is_transparent = void;
};

// "/a" for "/a/b", "/" for "/a" and for "/".
[[nodiscard]] std::string_view ParentOf(std::string_view path);
// "b" for "/a/b", and for "b".
[[nodiscard]] constexpr std::string_view NameOf(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}
[[nodiscard]] std::string JoinPath(std::string_view directory, std::string_view name);
// `path` is `ancestor` or stands below it.
[[nodiscard]] constexpr bool IsAtOrBelow(std::string_view path, std::string_view ancestor) {
  if (ancestor == "/") return true;
  const bool ends = path.size() == ancestor.size();
  const bool goes_on = path.size() > ancestor.size() && path[ancestor.size()] == '/';
  return (ends || goes_on) && path.starts_with(ancestor);
}
// A path is not below itself.
[[nodiscard]] constexpr bool IsBelow(std::string_view path, std::string_view ancestor) {
  return path != ancestor && IsAtOrBelow(path, ancestor);
}
[[nodiscard]] constexpr bool AreNested(std::string_view left, std::string_view right) {
  return IsAtOrBelow(left, right) || IsAtOrBelow(right, left);
}
// Ancestors first, then by name, component by component: a subtree stays together.
[[nodiscard]] bool PathBefore(std::string_view left, std::string_view right);
// The directory below `ancestor` through which `path` is reached: ("/a", "/a/b/c") -> "/a/b". `path` itself
// when it stands directly in `ancestor`.
[[nodiscard]] std::string_view NextOnTheWay(std::string_view ancestor, std::string_view path);

// A path as /proc/self/mountinfo writes it: blanks, line ends and backslashes are three octal digits.
[[nodiscard]] std::string UnescapePath(std::string_view text);

}  // namespace mxc
