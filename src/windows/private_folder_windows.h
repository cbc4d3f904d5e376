// Folders of ours, below %LOCALAPPDATA%\mxc-exec.
#pragma once

#include <cstddef>
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

// A whole file. Errors: kSetupFailed.
[[nodiscard]] Status WriteFileText(const std::string& path, std::string_view text);
// At most `limit` bytes; empty when it is not there.
[[nodiscard]] std::string ReadFileText(const std::string& path, std::size_t limit);

}  // namespace mxc
