// A file that several processes write by turns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

// Waits for whoever has it, at most `wait_ms` milliseconds, of which those do not count in which this process
// or the machine stood still. False: errno says why.
[[nodiscard]] bool LockFile(int borrowed_fd, std::int64_t wait_ms);
void UnlockFile(int borrowed_fd);

// To read, never waiting for a writer: whoever can write its directory may have left a named pipe there, or a
// link to a device. Errors, kSetupFailed: `what`, for messages, and why; what is there is no regular file.
[[nodiscard]] Result<UniqueFd> OpenToRead(const std::string& what, const std::string& path);

// Its number and the time when it was made, because the number of a file that was removed is given again.
// Empty: not known here.
[[nodiscard]] std::string IdentityOfFile(int borrowed_fd);
// -1: errno says why.
[[nodiscard]] std::int64_t SizeOfFile(int borrowed_fd);
[[nodiscard]] std::int64_t ReadFileAt(int borrowed_fd, std::span<char> buffer, std::uint64_t offset);
// Replaces all there is. False: errno says why.
[[nodiscard]] bool ReplaceContents(int borrowed_fd, std::string_view text);
[[nodiscard]] bool CutFile(int borrowed_fd, std::uint64_t size);

}  // namespace mxc
