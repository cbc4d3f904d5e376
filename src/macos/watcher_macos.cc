#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/pipe.h"
#include "macos/temp.h"
#include "macos/watcher.h"

namespace mxc {
namespace {

constexpr int kSweeps = 200;
constexpr useconds_t kBetweenSweepsUs = 10000;

[[noreturn]] void Watch(int line, const Mark& mark, const std::string& temp) {
  ::setsid();  // keys and hang-ups of the caller's terminal are not meant for it
  for (const int number : {SIGHUP, SIGINT, SIGTERM, SIGPIPE}) ::signal(number, SIG_IGN);
  char byte = 0;
  ssize_t count = 0;
  while ((count = ::read(line, &byte, 1)) < 0 && errno == EINTR) {
  }
  if (count == 1) ::_exit(0);
  for (int i = 0; i < kSweeps && SignalMarked(mark, SIGKILL) > 0; ++i) ::usleep(kBetweenSweepsUs);
  RemoveTemp(temp);
  ::_exit(0);
}

}  // namespace

Result<Watcher> Watcher::Start(const Mark& mark, const std::string& temp) {
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.error();
  const pid_t process = ::fork();
  if (process < 0) return SystemError(ErrorCode::kSetupFailed, "create a process", errno);
  if (process == 0) {
    // Nothing of the caller's stays open in it: whoever waits for the end of a stream must not wait for it.
    for (int fd = 0; fd < ::getdtablesize(); ++fd) {
      if (fd != pipe->reading.Get()) ::close(fd);
    }
    Watch(pipe->reading.Get(), mark, temp);
  }
  Watcher watcher;
  watcher.line_ = std::move(pipe->writing);
  watcher.process_ = process;
  return watcher;
}

void Watcher::Dismiss() {
  if (process_ < 0) return;
  [[maybe_unused]] const ssize_t told = ::write(line_.Get(), "x", 1);
  line_.Reset();
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

}  // namespace mxc
