// Linux: system calls that a C library of our age range may lack. All return -1 and set errno.
#pragma once

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace mxc {

// Kernels and headers differ in age; these are of Linux 5.12.
inline constexpr unsigned kEmptyPath = 0x1000;        // AT_EMPTY_PATH
inline constexpr unsigned kRecursive = 0x8000;        // AT_RECURSIVE
inline constexpr std::uint64_t kPrivate = 1U << 18U;  // MS_PRIVATE

// Opens `path` below `dirfd` for reference only; a symbolic link on the way fails with ELOOP.
inline int OpenReference(int dirfd, const char* path, std::uint64_t resolve) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | resolve;
  return static_cast<int>(::syscall(SYS_openat2, dirfd, path, &how, sizeof how));
}

// A detached copy of the mounts at `fd` and, recursively, below it.
inline int CloneTree(int fd) {
  return static_cast<int>(
      ::syscall(SYS_open_tree, fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | kEmptyPath | kRecursive));
}

// Adds attributes to every mount of a tree. None is ever taken away, so locked ones stay.
inline int AddAttributes(int tree, std::uint64_t attributes, std::uint64_t propagation) {
  mount_attr change{};
  change.attr_set = attributes;
  change.propagation = propagation;
  return static_cast<int>(
      ::syscall(SYS_mount_setattr, tree, "", kEmptyPath | kRecursive, &change, sizeof change));
}

// Every mount of a tree shows its files with the owners that `user_namespace` maps theirs to.
inline int MapOwners(int tree, int user_namespace) {
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_IDMAP;
  change.userns_fd = static_cast<decltype(change.userns_fd)>(user_namespace);
  return static_cast<int>(
      ::syscall(SYS_mount_setattr, tree, "", kEmptyPath | kRecursive, &change, sizeof change));
}

// Attaches a detached tree at `path` below `dirfd`; an empty path means `dirfd` itself.
inline int Attach(int tree, int dirfd, const char* path) {
  const unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | (*path == '\0' ? MOVE_MOUNT_T_EMPTY_PATH : 0U);
  return static_cast<int>(::syscall(SYS_move_mount, tree, "", dirfd, path, flags));
}

inline int OpenFilesystem(const char* type) {
  return static_cast<int>(::syscall(SYS_fsopen, type, 1U /* FSOPEN_CLOEXEC */));
}
inline int SetOption(int context, const char* key, const char* value) {
  return static_cast<int>(::syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, key, value, 0));
}
inline int CreateFilesystem(int context) {
  return static_cast<int>(::syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0));
}
inline int DetachedMount(int context, unsigned attributes) {
  return static_cast<int>(::syscall(SYS_fsmount, context, 1U /* FSMOUNT_CLOEXEC */, attributes));
}

inline int PivotRoot(const char* root, const char* old) {
  return static_cast<int>(::syscall(SYS_pivot_root, root, old));
}
inline int DetachMount(const char* path) {
  return static_cast<int>(::syscall(SYS_umount2, path, 2 /* MNT_DETACH */));
}

inline int CloseRange(unsigned first, unsigned last) {
  return static_cast<int>(::syscall(SYS_close_range, first, last, 0U));
}
// From `first` to `last`; -1 is no descriptor.
template <std::size_t kCount>
int CloseRangeBut(unsigned first, unsigned last, std::array<int, kCount> kept) {
  std::sort(kept.begin(), kept.end());
  for (const int fd : kept) {
    const auto number = static_cast<unsigned>(fd);
    if (fd < 0 || number < first || number > last) continue;
    if (number > first && CloseRange(first, number - 1) != 0) return -1;
    if (number == last) return 0;
    first = number + 1;
  }
  return CloseRange(first, last);
}
template <std::size_t kCount>
void CloseAllBut(unsigned first, const std::array<int, kCount>& kept) {
  CloseRangeBut(first, ~0U, kept);
}

}  // namespace mxc
