// The entries of a directory as the kernel hands them out, without a copy of any.
#pragma once

#include <dirent.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mxc {

// Of linux/dirent.h, which no C library offers.
struct KernelDirectoryEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;  // DT_UNKNOWN where the file system does not keep it with the name
  char name[1];        // ends with NUL
};

// Calls `take` with each entry of the open directory `fd`, but not with "." and "..". Returns 0, or the
// errno with which the list broke off: EACCES also for a directory that may be read and not entered (mode
// 0400), of whose entries only the names can be learnt. Not inline: callers that recurse need no buffer of
// their own.
template <typename Take>
[[nodiscard, gnu::noinline]] int ReadDirectory(int fd, Take take) {
  struct stat itself {};
  if (::fstatat(fd, ".", &itself, 0) != 0 && errno == EACCES) return EACCES;
  std::array<char, 8192> buffer;  // NOLINT(*-member-init): the kernel fills it
  for (;;) {
    const long size = ::syscall(SYS_getdents64, fd, buffer.data(), buffer.size());
    if (size == 0) return 0;
    if (size < 0) return errno == ENOENT ? 0 : errno;  // ENOENT: the directory was removed
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      const auto* entry =
          reinterpret_cast<const KernelDirectoryEntry*>(buffer.data() + at);  // NOLINT(*-reinterpret-cast)
      const std::string_view name = static_cast<const char*>(entry->name);
      if (name != "." && name != "..") take(*entry, name);
      at += entry->size;
    }
  }
}

}  // namespace mxc
