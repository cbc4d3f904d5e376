// Paths of Windows as a distribution of WSL has them.
#pragma once

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

// Every distribution has the drives of Windows below this, unless its /etc/wsl.conf says otherwise.
inline constexpr std::string_view kWslDrives = "/mnt/";

// "/mnt/c/work" for "C:\work"; "/home/me" for "\\wsl$\Debian\home\me" when that is `distribution`, and for
// itself. Errors: kConflict for other paths of the network.
[[nodiscard]] Result<std::string> PathInWsl(std::string_view path, std::string_view distribution,
                                            const std::string& pointer);

// On a drive of Windows, where two spellings of upper and lower case name one file.
[[nodiscard]] bool IsOnDriveInWsl(std::string_view path);

// Of paths in a distribution: `path` is `ancestor` or stands below it. A path of the distribution may lead
// onto a drive.
[[nodiscard]] bool IsAtOrBelowInWsl(std::string_view path, std::string_view ancestor);

}  // namespace mxc
