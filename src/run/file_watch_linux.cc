#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/passed_fds.h"
#include "run/file_watch.h"
#include "seccomp/watched_calls.h"

namespace mxc {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLongestPath = 4096;  // PATH_MAX

// C libraries differ in the type of ioctl's request; the kernel does not.
long Control(int listener, unsigned long request, void* argument) {
  return ::syscall(SYS_ioctl, listener, request, argument);
}

// Of another process's memory; false when it is not there, or the process is gone.
bool Read(pid_t process, std::uint64_t address, void* to, std::size_t size) {
  iovec here{to, size};
  iovec there{reinterpret_cast<void*>(address), size};  // NOLINT(performance-no-int-to-ptr)
  return ::process_vm_readv(process, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

// Page by page: what stands behind the text may not be mapped.
std::optional<std::string> ReadText(pid_t process, std::uint64_t address) {
  std::string text;
  while (text.size() < kLongestPath) {
    std::array<char, kPage> page{};
    const std::size_t size = kPage - address % kPage;
    if (!Read(process, address, page.data(), size)) return std::nullopt;
    const char* const end = std::find(page.data(), page.data() + size, '\0');
    text.append(page.data(), static_cast<std::size_t>(end - page.data()));
    if (end != page.data() + size) return text;
    address += size;
  }
  return std::nullopt;
}

std::optional<std::string> LinkText(const std::string& link) {
  std::array<char, kLongestPath> text{};
  const ssize_t size = ::readlink(link.c_str(), text.data(), text.size());
  if (size <= 0 || text[0] != '/') return std::nullopt;  // of a pipe or a socket
  return std::string(text.data(), static_cast<std::size_t>(size));
}

FileUse UseOf(const WatchedCall& watched, const seccomp_notif& call) {
  if (watched.flags == WatchedCall::kNone || watched.link == LastLink::kByFlags) return watched.use;
  std::uint64_t flags = call.data.args[watched.flags];
  if (watched.how) {
    open_how how{};
    if (!Read(static_cast<pid_t>(call.pid), flags, &how, sizeof how)) return watched.use;
    flags = how.flags;
  }
  if ((flags & O_PATH) != 0) return FileUse::kLook;
  const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  return writes ? FileUse::kWrite : FileUse::kRead;
}

bool MeansLinkItself(const WatchedCall& watched, const seccomp_notif& call) {
  if (watched.link != LastLink::kByFlags) return watched.link == LastLink::kItself;
  return (call.data.args[watched.flags] & AT_SYMLINK_NOFOLLOW) != 0;
}

bool MakesDirectory(int number) {
#ifdef SYS_mkdir
  if (number == SYS_mkdir) return true;
#endif
  return number == SYS_mkdirat;
}

std::optional<FileCall> CallOf(const WatchedCall& watched, const seccomp_notif& call) {
  const auto process = static_cast<pid_t>(call.pid);
  std::optional<std::string> path = ReadText(process, call.data.args[watched.path]);
  if (!path || path->empty()) return std::nullopt;
  if (path->front() != '/') {
    std::string base = "/proc/" + std::to_string(process) + "/cwd";
    if (watched.directory != WatchedCall::kNone) {
      const auto directory = static_cast<int>(call.data.args[watched.directory]);
      if (directory != AT_FDCWD)
        base = "/proc/" + std::to_string(process) + "/fd/" + std::to_string(directory);
    }
    const std::optional<std::string> directory = LinkText(base);
    if (!directory) return std::nullopt;
    path = *directory + "/" + *path;
  }
  return FileCall{.use = UseOf(watched, call),
                  .path = std::move(*path),
                  .directory = MakesDirectory(watched.number),
                  .link_itself = MeansLinkItself(watched, call)};
}

}  // namespace

Result<FileWatch> FileWatch::Start(bool wanted, OnCall on_call) {
  FileWatch watch;
  if (!wanted) return watch;
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return SystemError(ErrorCode::kSetupFailed, "create a pair of sockets", errno);
  watch.ours_ = UniqueFd{ends[0]};
  watch.watch_socket_ = UniqueFd{ends[1]};
  watch.on_call_ = std::move(on_call);
  return watch;
}

void FileWatch::Take(short events) {
  if (!listener_) return TakeListener();
  if ((events & POLLIN) != 0) return TakeCall();
  listener_.Reset();  // nobody is left who could call
}

void FileWatch::TakeListener() {
  int number = 0;
  int listener = -1;
  std::size_t count = 0;
  const ssize_t size =
      ReceiveWithFds(ours_.Get(), &number, sizeof number, MSG_DONTWAIT, std::span(&listener, 1), count);
  if (size < 0 && errno == EAGAIN) return;
  ours_.Reset();
  listener_.Reset(listener);
  watched_ = count == 1;
}

// The call goes on whatever we made of it. ENOENT: the caller was killed meanwhile.
void FileWatch::TakeCall() {
  seccomp_notif call{};
  if (Control(listener_.Get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0) return;
  std::array<std::optional<FileCall>, 2> found;  // a rename has two
  std::size_t count = 0;
  for (const WatchedCall& watched : kWatchedCalls) {
    if (watched.number == call.data.nr && count < found.size()) found[count++] = CallOf(watched, call);
  }
  // Still the process that called, and not another that got its number?
  const bool same = Control(listener_.Get(), SECCOMP_IOCTL_NOTIF_ID_VALID, &call.id) == 0;
  seccomp_notif_resp answer{};
  answer.id = call.id;
  answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
  Control(listener_.Get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
  if (!same) return;
  for (const std::optional<FileCall>& file : found) {
    if (file) on_call_(*file);
  }
}

}  // namespace mxc
