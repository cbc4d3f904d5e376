// Canonical POSIX paths as text: no "." or "..", no trailing slash, bytes of any kind.
#pragma once

#include <string>
#include <string_view>

namespace mxc::linux_backend {

// `path` stands below `ancestor`; a path is not below itself.
[[nodiscard]] bool IsBelow(std::string_view path, std::string_view ancestor);
// Ancestors first, each directly followed by everything below it.
[[nodiscard]] bool PathBefore(std::string_view left, std::string_view right);
// The directory below `ancestor` through which `path` is reached: ("/a", "/a/b/c") -> "/a/b". `path` itself
// when it stands directly in `ancestor`.
[[nodiscard]] std::string_view NextOnTheWay(std::string_view ancestor, std::string_view path);

}  // namespace mxc::linux_backend
