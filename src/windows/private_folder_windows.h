// Folders of ours, below %LOCALAPPDATA%\mxc-exec.
#pragma once

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

// Empty: there is no LOCALAPPDATA.
[[nodiscard]] std::string OwnFolder(std::string_view name);
// Made where it is missing. Errors: kSetupFailed.
[[nodiscard]] Result<std::string> MakeOwnFolder(std::string_view name);
// A new one, which only the caller and the system may open. Errors: kSetupFailed.
[[nodiscard]] Status MakePrivateFolder(const std::string& path);
// With everything in it, and through no link.
void RemoveTree(const std::string& path);

}  // namespace mxc
