// Windows paths as text: "C:\a\b". Names are compared with ASCII case folded; other letters have the file
// system's spelling once a host has looked at the path.
#pragma once

#include <string_view>

namespace mxc {

[[nodiscard]] bool IsSameWindowsName(std::string_view left, std::string_view right);
// Whether `path` is `ancestor` or below it.
[[nodiscard]] bool IsAtOrBelowOnWindows(std::string_view path, std::string_view ancestor);
// "C:\a" for "C:\a\b", "C:\" for "C:\a" and for "C:\".
[[nodiscard]] std::string_view ParentOnWindows(std::string_view path);
// "C:\...", and not "\a", "C:a", "\\server\share".
[[nodiscard]] bool IsOnDrive(std::string_view path);
[[nodiscard]] bool IsDriveRoot(std::string_view path);

}  // namespace mxc
