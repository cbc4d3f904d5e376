// What the launcher is told of: connect(2), listen(2), and the system calls that take a path, as one table.
// The programs are made of its numbers, and the launcher reads the arguments by it.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "mxc/file_call.h"

namespace mxc {

// What a link at the end of the path is to a call.
enum class LastLink {
  kFollowed,
  kItself,   // the call makes, moves, removes or looks at the name
  kByFlags,  // as a flag says
};

struct WatchedCall {
  static constexpr int kNone = -1;

  int number = kNone;
  FileUse use = FileUse::kLook;
  int path = 0;           // which argument is the path
  int directory = kNone;  // and the directory it is relative to; kNone: the working directory
  LastLink link = LastLink::kFollowed;
  int flags = kNone;  // of open(2): decide between reading and writing; kByFlags: those of *at(2)
  bool how = false;   // `flags` points to a struct open_how
  int size = kNone;   // of the struct sockaddr to which `path` points
};

inline constexpr WatchedCall kWatchedCalls[] = {
    {SYS_openat, FileUse::kRead, 1, 0, LastLink::kFollowed, 2},
    {SYS_openat2, FileUse::kRead, 1, 0, LastLink::kFollowed, 2, true},
    {SYS_execve, FileUse::kExecute, 0},
    {SYS_execveat, FileUse::kExecute, 1, 0},
    {SYS_newfstatat, FileUse::kLook, 1, 0, LastLink::kByFlags, 3},
    {SYS_statx, FileUse::kLook, 1, 0, LastLink::kByFlags, 2},
    {SYS_faccessat, FileUse::kLook, 1, 0},
    {SYS_faccessat2, FileUse::kLook, 1, 0, LastLink::kByFlags, 3},
    {SYS_chdir, FileUse::kLook, 0},
    {SYS_mkdirat, FileUse::kWrite, 1, 0, LastLink::kItself},
    {SYS_mknodat, FileUse::kWrite, 1, 0, LastLink::kItself},
    {SYS_unlinkat, FileUse::kWrite, 1, 0, LastLink::kItself},
    {SYS_symlinkat, FileUse::kWrite, 2, 1, LastLink::kItself},
    {SYS_linkat, FileUse::kWrite, 3, 2, LastLink::kItself},
    {SYS_renameat2, FileUse::kWrite, 1, 0, LastLink::kItself},
    {SYS_renameat2, FileUse::kWrite, 3, 2, LastLink::kItself},
    {SYS_fchmodat, FileUse::kWrite, 1, 0},
    {SYS_fchownat, FileUse::kWrite, 1, 0, LastLink::kByFlags, 4},
    {SYS_truncate, FileUse::kWrite, 0},
    {SYS_utimensat, FileUse::kWrite, 1, 0, LastLink::kByFlags, 3},
    {.number = SYS_connect, .use = FileUse::kConnect, .path = 1, .size = 2},
#ifdef SYS_open  // the older half, which newer architectures never had
    {SYS_open, FileUse::kRead, 0, WatchedCall::kNone, LastLink::kFollowed, 1},
    {SYS_creat, FileUse::kWrite, 0},
    {SYS_stat, FileUse::kLook, 0},
    {SYS_lstat, FileUse::kLook, 0, WatchedCall::kNone, LastLink::kItself},
    {SYS_access, FileUse::kLook, 0},
    {SYS_mkdir, FileUse::kWrite, 0, WatchedCall::kNone, LastLink::kItself},
    {SYS_mknod, FileUse::kWrite, 0, WatchedCall::kNone, LastLink::kItself},
    {SYS_rmdir, FileUse::kWrite, 0, WatchedCall::kNone, LastLink::kItself},
    {SYS_unlink, FileUse::kWrite, 0, WatchedCall::kNone, LastLink::kItself},
    {SYS_symlink, FileUse::kWrite, 1, WatchedCall::kNone, LastLink::kItself},
    {SYS_link, FileUse::kWrite, 1, WatchedCall::kNone, LastLink::kItself},
    {SYS_rename, FileUse::kWrite, 0, WatchedCall::kNone, LastLink::kItself},
    {SYS_rename, FileUse::kWrite, 1, WatchedCall::kNone, LastLink::kItself},
    {SYS_chmod, FileUse::kWrite, 0},
    {SYS_chown, FileUse::kWrite, 0},
    {SYS_lchown, FileUse::kWrite, 0, WatchedCall::kNone, LastLink::kItself},
#endif
#ifdef SYS_renameat
    {SYS_renameat, FileUse::kWrite, 1, 0, LastLink::kItself},
    {SYS_renameat, FileUse::kWrite, 3, 2, LastLink::kItself},
#endif
};

// Loaded behind the sandbox's own program, whose refusals count for more (seccomp(2): the strictest answer
// wins), and which has let only this architecture's calls through.
template <std::size_t kCalls>
constexpr std::array<sock_filter, kCalls + 3> MakeWatchProgram(const std::array<int, kCalls>& numbers) {
  static_assert(kCalls < 250, "a jump reaches 255 instructions");
  std::array<sock_filter, kCalls + 3> program{};
  program[0] = {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)};
  for (std::size_t i = 0; i < kCalls; ++i) {
    program[i + 1] = {BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint8_t>(kCalls - i), 0,
                      static_cast<std::uint32_t>(numbers[i])};
  }
  program[kCalls + 1] = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  program[kCalls + 2] = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF};
  return program;
}

// Of connections alone; and of all, with listen(2), which has no path.
inline constexpr auto kConnectProgram = MakeWatchProgram(std::array{int{SYS_connect}});
inline constexpr auto kFileProgram = [] {
  std::array<int, std::size(kWatchedCalls) + 1> numbers{SYS_listen};
  for (std::size_t i = 0; i < std::size(kWatchedCalls); ++i) numbers[i + 1] = kWatchedCalls[i].number;
  return MakeWatchProgram(numbers);
}();

}  // namespace mxc
