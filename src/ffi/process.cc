#include "ffi/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "base/pipe.h"
#include "ffi/program.h"

namespace mxc::ffi {
namespace {

// Where the program finds what is not a standard stream.
constexpr int kStatusFd = 3;
constexpr int kDocumentFd = 4;
constexpr int kLifelineFd = 5;
constexpr int kTerminalFd = 6;
// Ours are none of these numbers, also where the calling process has closed its own.
constexpr int kFirstOwn = 16;

// Its ends in the child, by number; -1: the child has none.
using ChildEnds = std::array<UniqueFd, kTerminalFd + 1>;

UniqueFd MovedUp(int fd) {
  const UniqueFd low{fd};
  return UniqueFd{low ? ::fcntl(low.Get(), F_DUPFD_CLOEXEC, kFirstOwn) : -1};
}

bool MakePipe(UniqueFd& reading, UniqueFd& writing) {
  int ends[2] = {-1, -1};
  if (::pipe2(&ends[0], O_CLOEXEC) != 0) return false;
  reading = MovedUp(ends[0]);
  writing = MovedUp(ends[1]);
  return reading && writing;
}

// We wait by poll(2).
bool MakeOutput(UniqueFd& reading, UniqueFd& writing) {
  return MakePipe(reading, writing) && ::fcntl(reading.Get(), F_SETFL, O_NONBLOCK) == 0;
}

// Neither an argument nor a file: others could read them.
Failure MakeDocument(std::string_view text, UniqueFd& document) {
  document = MovedUp(::memfd_create("mxc-request", MFD_CLOEXEC));
  if (!document || !WriteAll(document.Get(), text) || ::lseek(document.Get(), 0, SEEK_SET) != 0)
    return SystemFailure("memfd_create");
  return {};
}

Failure MakeTerminal(const Start& start, UniqueFd& outer, UniqueFd& childs) {
  outer = MovedUp(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!outer || ::grantpt(outer.Get()) != 0 || ::unlockpt(outer.Get()) != 0)
    return SystemFailure("posix_openpt");
  const winsize size{.ws_row = start.rows, .ws_col = start.columns, .ws_xpixel = 0, .ws_ypixel = 0};
  if (::ioctl(outer.Get(), TIOCSWINSZ, &size) != 0) return SystemFailure("ioctl");
  childs.Reset(::fcntl(outer.Get(), F_DUPFD_CLOEXEC, kFirstOwn));
  return childs ? Failure{} : SystemFailure("fcntl");
}

class Actions {
 public:
  Actions() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~Actions() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  void Give(const ChildEnds& ends) {
    for (std::size_t number = 0; number < ends.size(); ++number) {
      if (ends[number])
        ::posix_spawn_file_actions_adddup2(&actions_, ends[number].Get(), static_cast<int>(number));
    }
  }
  // Nothing of how the calling process treats signals; a group of its own, which no terminal of the caller's
  // speaks to.
  void Separate(bool own_group) {
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    const int group = own_group ? POSIX_SPAWN_SETPGROUP : 0;
    ::posix_spawnattr_setflags(&attributes_,
                               static_cast<short>(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | group));
  }
  int Spawn(const std::string& program, std::vector<const char*>& arguments, pid_t& id) {
    return ::posix_spawn(&id, program.c_str(), &actions_, &attributes_, const_cast<char**>(arguments.data()),
                         environ);
  }

 private:
  posix_spawn_file_actions_t actions_ = {};
  posix_spawnattr_t attributes_ = {};
};

std::vector<const char*> ArgumentsFor(const Start& start) {
  std::vector<const char*> arguments = {"mxc-exec", "--quiet", "--lifeline-fd=5", "--status-fd=3"};
  if (!start.document.empty()) arguments.push_back("--config-fd=4");
  if (start.streams == Streams::kTerminal) arguments.push_back("--terminal-fd=6");
  for (const char* const flag : start.flags) {
    if (flag != nullptr) arguments.push_back(flag);
  }
  arguments.push_back(nullptr);
  return arguments;
}

Failure MakeStreams(const Start& start, Process& process, ChildEnds& ends) {
  const Streams streams = start.streams;
  if (streams == Streams::kInherited) return {};
  if (streams == Streams::kCaptured) {
    ends[0] = MovedUp(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!ends[0]) return SystemFailure("open");
  } else if (!MakePipe(ends[0], process.input)) {
    return SystemFailure("pipe2");
  }
  if (!MakeOutput(process.output, ends[1])) return SystemFailure("pipe2");
  if (streams == Streams::kTerminal) {
    ends[2].Reset(::fcntl(ends[1].Get(), F_DUPFD_CLOEXEC, kFirstOwn));
    return MakeTerminal(start, process.terminal, ends[kTerminalFd]);
  }
  return MakeOutput(process.errors, ends[2]) ? Failure{} : SystemFailure("pipe2");
}

}  // namespace

Failure Process::Begin(const Start& start) {
  std::string program;
  if (Failure missing = FindProgram(program); missing.Failed()) return missing;
  ChildEnds ends;
  if (Failure failure = MakeStreams(start, *this, ends); failure.Failed()) return failure;
  if (!MakeOutput(status, ends[kStatusFd]) || !MakePipe(ends[kLifelineFd], lifeline_))
    return SystemFailure("pipe2");
  if (!start.document.empty()) {
    if (Failure failure = MakeDocument(start.document, ends[kDocumentFd]); failure.Failed()) return failure;
  }
  Actions actions;
  actions.Give(ends);
  actions.Separate(start.streams != Streams::kInherited);
  std::vector<const char*> arguments = ArgumentsFor(start);
  errno = actions.Spawn(program, arguments, id_);
  if (errno != 0) {
    Failure failure = SystemFailure("posix_spawn");
    failure.message = program + ": " + failure.message;
    return failure;
  }
  ended_ = false;
  return {};
}

Process::~Process() {
  if (Kill()) WaitForEnd();
}

// With mutex_. Not 0: it has ended, or the calling process takes the ends of all its children.
bool Process::Reap() {
  if (ended_) return true;
  int taken = 0;
  const pid_t found = ::waitpid(id_, &taken, WNOHANG);
  if (found == 0 || (found < 0 && errno == EINTR)) return false;
  if (found == id_) wait_status_ = taken;
  ended_ = true;
  return true;
}

bool Process::Kill() {
  const std::lock_guard lock(mutex_);
  if (Reap()) return false;
  ::kill(id_, SIGKILL);
  return true;
}

bool Process::HasEnded() {
  const std::lock_guard lock(mutex_);
  return Reap();
}

// Without the lock while it waits, and without taking the end away from whoever has it.
void Process::WaitForEnd() {
  while (!HasEnded()) {
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOWAIT);
  }
}

std::string Process::HowItEnded() const {
  if (wait_status_ < 0) return "a status that was taken by somebody else";
  const bool exited = WIFEXITED(wait_status_);
  char digits[16] = {};
  const int number = exited ? WEXITSTATUS(wait_status_) : WTERMSIG(wait_status_);
  const char* const end = std::to_chars(&digits[0], &digits[0] + sizeof digits, number).ptr;
  return (exited ? "status " : "signal ") +
         std::string(&digits[0], static_cast<std::size_t>(end - &digits[0]));
}

}  // namespace mxc::ffi
