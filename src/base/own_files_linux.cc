#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/own_files.h"

namespace mxc {
namespace {

// The numbers of linux/magic.h, and of file systems that keep theirs to themselves. A type that is not here
// holds files.
constexpr std::uint32_t kKernelTypes[] = {
    0x00009fa0,  // proc
    0x62656572,  // sysfs
    0x0027e0eb,  // cgroup
    0x63677270,  // cgroup2
    0x64626720,  // debugfs
    0x74726163,  // tracefs
    0x73636673,  // securityfs
    0x62656570,  // configfs
    0xcafe4a11,  // bpf
    0x00001cd1,  // devpts
    0xde5e81e4,  // efivarfs
    0xf97cff8c,  // selinuxfs
    0x43415d53,  // smackfs
    0x5a3c69f0,  // apparmorfs
    0x6165676c,  // pstore
    0x42494e4d,  // binfmt_misc
    0x07655821,  // resctrl
    0x6e736673,  // nsfs
    0x19800202,  // mqueue
    0x958458f6,  // hugetlbfs
    0x65735543,  // fusectl
    0x6e667364,  // nfsd
    0x67596969,  // rpc_pipefs
    0x6c6f6f70,  // binder
    0xabba1974,  // xenfs
    0xaee71ee7,  // gadgetfs
    0x0a647361,  // functionfs
};

}  // namespace

bool IsOfKernel(int borrowed_fd) {
  struct statfs status {};
  if (::fstatfs(borrowed_fd, &status) != 0) return true;
  const auto type = static_cast<std::uint32_t>(status.f_type);
  return std::find(std::begin(kKernelTypes), std::end(kKernelTypes), type) != std::end(kKernelTypes);
}

bool FlushToDisk(int borrowed_fd) { return ::fdatasync(borrowed_fd) == 0; }

bool HasRoom(int borrowed_fd, std::size_t size, std::size_t reserve) {
  pollfd room{.fd = borrowed_fd, .events = POLLOUT, .revents = 0};
  if (::poll(&room, 1, 0) <= 0) return false;
  const int capacity = ::fcntl(borrowed_fd, F_GETPIPE_SZ);
  int held = 0;
  if (capacity < 0 || ::ioctl(borrowed_fd, FIONREAD, &held) != 0) return true;  // no pipe
  const auto free = static_cast<std::size_t>(std::max(capacity - held, 0));
  return free >= size + std::min(reserve, static_cast<std::size_t>(capacity) / 2);
}

}  // namespace mxc
