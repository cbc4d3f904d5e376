#include "engine/mounted_rules.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/kernel_calls.h"
#include "base/lists.h"
#include "base/path.h"
#include "base/unique_fd.h"

namespace mxc::engine {
namespace {

struct Mounted {
  std::uint64_t id = 0;
  std::string path = {};
  bool read_only = false;
};

bool ReadWhole(int fd, std::string& text) {
  std::array<char, 16384> buffer;  // NOLINT(*-member-init): each page that is touched costs a fault
  while (true) {
    const ssize_t size = ::read(fd, buffer.data(), buffer.size());
    if (size <= 0) return size == 0;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue": proc_pid_mountinfo(5).
Mounted MountedIn(std::string_view line) {
  Mounted mounted;
  const std::string_view id = TakePiece(line, ' ');
  std::from_chars(id.data(), id.data() + id.size(), mounted.id);
  for (int i = 0; i < 3; ++i) static_cast<void>(TakePiece(line, ' '));
  mounted.path = UnescapePath(TakePiece(line, ' '));
  std::string_view options = TakePiece(line, ' ');
  mounted.read_only = TakePiece(options, ',') != "rw";
  return mounted;
}

// 0: not known.
std::uint64_t MountOf(int fd) {
  struct statx status {};
  constexpr unsigned kFlags = AT_EMPTY_PATH | AT_STATX_DONT_SYNC;
  if (::syscall(SYS_statx, fd, "", kFlags, STATX_MNT_ID, &status) != 0) return 0;
  return status.stx_mnt_id;
}

// Nobody inside can reach a mount that another one covers. A read-only file needs no rule: the root's is
// enough.
int AllowOne(const LandlockRules& rules, const Mounted& mounted) {
  const UniqueFd mount{OpenReference(AT_FDCWD, mounted.path.c_str(), 0)};
  if (!mount || MountOf(mount.Get()) != mounted.id) return 0;
  if (Allow(rules, mount.Get(), mounted.read_only ? Grant::kReadMounted : Grant::kWriteTree) == 0) return 0;
  if (errno != EINVAL) return -1;  // no directory
  return mounted.read_only ? 0 : Allow(rules, mount.Get(), Grant::kWriteFile);
}

}  // namespace

int AllowMounted(const LandlockRules& rules, int own) {
  if (rules.ruleset < 0) return 0;
  const UniqueFd root{OpenReference(AT_FDCWD, "/", 0)};
  const UniqueFd list{::openat(own, "mountinfo", O_RDONLY | O_CLOEXEC)};
  std::string text;
  if (!root || !list || !ReadWhole(list.Get(), text)) return -1;
  if (Allow(rules, root.Get(), Grant::kRead) != 0) return -1;
  for (std::string_view rest = text; !rest.empty();) {
    if (AllowOne(rules, MountedIn(TakePiece(rest, '\n'))) != 0) return -1;
  }
  return 0;
}

}  // namespace mxc::engine
