// Files of ours. Only the caller may read what is made here, and a link planted at the place is not followed.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace mxc {

enum class OwnFile {
  kLog,     // appended to
  kResult,  // replaced
  kAudit,   // appended to; a fifo put there does not hold us
};

// Not open: errno says why.
[[nodiscard]] UniqueFd OpenOwnFile(const std::string& path, OwnFile file);
[[nodiscard]] bool IsRegularFile(int borrowed_fd);
[[nodiscard]] bool IsOpenDescriptor(int number);
// Descriptors that were given to us. -1: errno says why.
[[nodiscard]] std::int64_t ReadSome(int borrowed_fd, std::span<char> buffer);
// One write, so that lines of several writers do not mix. Returns how much was taken.
[[nodiscard]] std::int64_t WriteSome(int borrowed_fd, std::string_view text);
// Returns when what was written is on disk. False: errno says why.
[[nodiscard]] bool FlushToDisk(int borrowed_fd);
// A limit on the size of files must not end us where we write; children get their signals back as they were.
void IgnoreFileSizeLimit();

// Who writes them.
[[nodiscard]] std::int64_t OwnProcessId();
[[nodiscard]] std::uint32_t OwnUserId();
// Bytes that nobody can guess. False: the system gives none.
[[nodiscard]] bool FillRandom(std::span<unsigned char> bytes);
// 16 hexadecimal digits that nobody can guess.
[[nodiscard]] std::string RandomName();

}  // namespace mxc
