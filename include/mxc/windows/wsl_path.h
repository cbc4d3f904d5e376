// Translates Windows paths to paths in a WSL distribution.
#pragma once

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

// A distribution mounts the drives of Windows below this, unless its /etc/wsl.conf says otherwise.
inline constexpr std::string_view kWslDrives = "/mnt/";

// "/mnt/c/work" for "C:\work"; "/home/me" for "\\wsl$\Debian\home\me" when that is `distribution`, and for
// itself. Errors: kConflict for other paths of the network.
[[nodiscard]] Result<std::string> PathInWsl(std::string_view path, std::string_view distribution,
                                            const std::string& pointer);

// Whether `path` is on a Windows drive, where names are case-insensitive.
[[nodiscard]] bool IsOnDriveInWsl(std::string_view path);

// For paths in a distribution: whether `path` is `ancestor` or below it, on a drive without regard to case.
[[nodiscard]] bool IsAtOrBelowInWsl(std::string_view path, std::string_view ancestor);

}  // namespace mxc
