// Paths of Windows as text: "C:\a\b". Names are compared without regard to the case of ASCII letters; the
// rest of a path is the spelling of the file system once a host has looked at it.
#pragma once

#include <string_view>

namespace mxc {

[[nodiscard]] bool IsSameWindowsName(std::string_view left, std::string_view right);
// `path` is `ancestor` or stands below it.
[[nodiscard]] bool IsAtOrBelowOnWindows(std::string_view path, std::string_view ancestor);
// "C:\a" for "C:\a\b", "C:\" for "C:\a" and for "C:\".
[[nodiscard]] std::string_view ParentOnWindows(std::string_view path);
// "C:\...", and not "\a", "C:a", "\\server\share".
[[nodiscard]] bool IsOnDrive(std::string_view path);
[[nodiscard]] bool IsDriveRoot(std::string_view path);

}  // namespace mxc
