// One short-lived helper: started without anything of ours, read with bounds, never left behind.
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "base/pipe.h"
#include "base/process_tree.h"
#include "base/unique_fd.h"
#include "host/posix_host.h"

namespace mxc {
namespace {

using Clock = std::chrono::steady_clock;

// Tools answer in a line or two; the rest is read and dropped so that they do not block.
constexpr std::size_t kMaxOutputBytes = 65536;
constexpr int kTickMs = 5;
constexpr int kEndTickMs = 1;  // once it has closed its streams
constexpr int kCannotExecute = 127;

// Everything the child touches, made before fork: between fork and exec only async-signal-safe calls.
struct Prepared {
  std::vector<char*> argv = {};
  UniqueFd input = {};
  Pipe out = {};
  Pipe err = {};
  Pipe failed = {};  // closed by exec; a byte in it says that exec failed
  int highest_fd = 1024;
  pid_t parent = 0;
};

[[noreturn]] void RunChild(const Prepared& prepared) {
  ::setpgid(0, 0);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);  // may be a macro
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  // Nothing else ends a tool when we are killed: it is in a process group of its own. Standard streams first:
  // dup2 clears close-on-exec. Then nothing else that a careless caller left open.
  if (DieWith(prepared.parent) && ::dup2(prepared.input.Get(), 0) == 0 &&
      ::dup2(prepared.out.writing.Get(), 1) == 1 && ::dup2(prepared.err.writing.Get(), 2) == 2 &&
      ::chdir("/") == 0) {
    for (int fd = 3; fd < prepared.highest_fd; ++fd) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    std::array<char*, 1> no_environment{};
    ::execve(prepared.argv[0], prepared.argv.data(), no_environment.data());
  }
  const char byte = 1;
  [[maybe_unused]] const ssize_t told = ::write(prepared.failed.writing.Get(), &byte, 1);
  ::_exit(kCannotExecute);
}

bool Prepare(const std::vector<std::string>& argv, Prepared& prepared) {
  for (const std::string& argument : argv) {
    prepared.argv.push_back(const_cast<char*>(argument.c_str()));  // NOLINT: execve's old signature
  }
  prepared.argv.push_back(nullptr);
  prepared.input.Reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (Pipe* pipe : {&prepared.out, &prepared.err, &prepared.failed}) {
    Result<Pipe> made = MakePipe();
    if (!made) return false;
    *pipe = std::move(*made);
  }
  return static_cast<bool>(prepared.input);
}

// Reads what is there. Returns false at the end of the stream.
bool Drain(int borrowed_fd, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t size = ::read(borrowed_fd, buffer.data(), buffer.size());
  if (size < 0) return errno == EINTR || errno == EAGAIN;
  if (size == 0) return false;
  const std::size_t room = kMaxOutputBytes - std::min(kMaxOutputBytes, text.size());
  text.append(buffer.data(), std::min(room, static_cast<std::size_t>(size)));
  return true;
}

// The tool has ended; it is left as a zombie, so that its number stays its own until its group was ended.
bool HasEnded(pid_t child) {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return (result == 0 && info.si_pid == child) || (result != 0 && errno == ECHILD);
}

// Reads both streams until the tool has ended and they are dry, or time is up. A grandchild that keeps a
// stream open does not hold us.
bool Listen(pid_t child, Prepared& prepared, Clock::time_point deadline, ToolRun& run) {
  for (;;) {
    const bool ended = HasEnded(child);
    std::array<pollfd, 2> polled = {
        {{prepared.out.reading.Get(), POLLIN, 0}, {prepared.err.reading.Get(), POLLIN, 0}}};
    const bool listening = prepared.out.reading || prepared.err.reading;
    const int ready = ::poll(polled.data(), polled.size(), ended ? 0 : listening ? kTickMs : kEndTickMs);
    if (ready > 0) {
      if (polled[0].revents != 0 && !Drain(prepared.out.reading.Get(), run.out)) prepared.out.reading.Reset();
      if (polled[1].revents != 0 && !Drain(prepared.err.reading.Get(), run.err)) prepared.err.reading.Reset();
    } else if (ended) {
      return true;
    }
    if (Clock::now() >= deadline) return ended;
  }
}

int Reap(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return kCannotExecute;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ToolRun RunTool(const std::vector<std::string>& argv, std::uint32_t limit_ms) {
  ToolRun run;
  Prepared prepared;
  if (argv.empty() || argv[0].substr(0, 1) != "/" || !Prepare(argv, prepared)) return run;
  prepared.parent = ::getpid();
  const long open_max = ::sysconf(_SC_OPEN_MAX);
  prepared.highest_fd = static_cast<int>(std::clamp<long>(open_max, 64, 4096));
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(limit_ms);
  const pid_t child = ::fork();
  if (child < 0) return run;
  if (child == 0) RunChild(prepared);
  ::setpgid(child, child);  // both sides: whichever runs first
  for (Pipe* pipe : {&prepared.out, &prepared.err, &prepared.failed}) pipe->writing.Reset();
  run.timed_out = !Listen(child, prepared, deadline, run);
  ::kill(-child, SIGKILL);
  run.exit_code = Reap(child);
  char byte = 0;
  run.started = ::read(prepared.failed.reading.Get(), &byte, 1) == 0;
  return run;
}

}  // namespace mxc
