#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "mxc/plan.h"
#include "process/placeholders.h"
#include "process/process_tree.h"

namespace mxc {
namespace {

// A sandbox that is being killed is gone in milliseconds; this bounds the wait for one that is stuck.
constexpr int kMaxWaitMs = 10000;

// A placeholder with our shared lock on it. Every run that masks the file holds one: unlinking it would take
// the mask of another run away, because the kernel unmounts what stands on a name that goes.
struct HeldFile {
  std::string path;
  UniqueFd file;
};

// The guardian's answer: all stand, or the errno of the one that does not.
struct Answer {
  std::size_t index = 0;
  int error = 0;
};

bool IsPlaceholder(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_size == 0 && (status.st_mode & 07777) == kPlaceholderMode &&
         status.st_uid == ::geteuid();
}

// `path` still names the file that is open.
bool IsStillAt(const std::string& path, int borrowed_fd) {
  struct stat named {};
  struct stat open {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(borrowed_fd, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

// One attempt: creates the placeholder, or joins the one of another run. Without a file: errno, EAGAIN when
// the other run was just removing it.
UniqueFd TryHold(const std::string& path) {
  // O_EXCL does not follow a symbolic link either: whatever is there by now was not made here.
  UniqueFd file{::open(path.c_str(), O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPlaceholderMode)};
  if (!file && errno != EEXIST) return file;
  if (!file) {
    file.Reset(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    const bool joinable = file && ::fstat(file.Get(), &status) == 0 && IsPlaceholder(status);
    if (!joinable) {
      errno = !file && errno == ENOENT ? EAGAIN : EEXIST;
      return UniqueFd{};
    }
  }
  if (::flock(file.Get(), LOCK_SH | LOCK_NB) == 0 && IsStillAt(path, file.Get())) return file;
  errno = EAGAIN;
  return UniqueFd{};
}

Answer HoldAll(const std::vector<std::string>& paths, std::vector<HeldFile>& held) {
  constexpr int kAttempts = 200;
  constexpr useconds_t kPauseUs = 1000;
  ::umask(0);  // the mode is the mark
  held.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    UniqueFd file = TryHold(paths[i]);
    for (int attempt = 0; !file && errno == EAGAIN && attempt < kAttempts; ++attempt) {
      ::usleep(kPauseUs);
      file = TryHold(paths[i]);
    }
    if (!file) return {.index = i, .error = errno};
    held.push_back({.path = paths[i], .file = std::move(file)});
  }
  return {};
}

// The last one out removes. Giving the shared lock up and asking for the exclusive one are two steps; of two
// runs that end together, the second to ask gets it.
void ReleaseAll(const std::vector<HeldFile>& held) {
  for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
    struct stat status {};
    const bool last = ::flock(entry->file.Get(), LOCK_EX | LOCK_NB) == 0;
    const bool empty = ::fstat(entry->file.Get(), &status) == 0 && status.st_size == 0;
    if (last && empty && IsStillAt(entry->path, entry->file.Get())) ::unlink(entry->path.c_str());
  }
}

void WaitForEnd(const std::vector<UniqueFd>& watched) {
  for (const UniqueFd& handle : watched) {
    pollfd ended{.fd = handle.Get(), .events = POLLIN, .revents = 0};
    while (::poll(&ended, 1, kMaxWaitMs) < 0 && errno == EINTR) {
    }
  }
}

// Nothing that stops the launcher may stop the guardian, and it may hold nothing open that someone waits for
// the end of.
void Detach(int pipe) {
  ::setsid();
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE}) ::signal(number, SIG_IGN);
  ::prctl(PR_SET_NAME, "mxc-guardian");
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  ::dup2(pipe, 3);  // becomes the one descriptor that stays
  ::syscall(SYS_close_range, 4U, ~0U, 0U);
  if (::chdir("/") != 0) ::_exit(1);
}

[[noreturn]] void Guard(int pipe, const std::vector<std::string>& paths) {
  Detach(pipe);
  std::vector<HeldFile> held;
  const Answer answer = HoldAll(paths, held);
  ::send(3, &answer, sizeof answer, MSG_NOSIGNAL);
  std::vector<UniqueFd> watched;
  pid_t process = 0;
  ssize_t count = 0;
  while ((count = ::recv(3, &process, sizeof process, 0)) != 0) {
    if (count == static_cast<ssize_t>(sizeof process)) {
      UniqueFd handle = HandleOf(process);  // none: it has ended already
      if (handle) watched.push_back(std::move(handle));
    }
    if (count < 0 && errno != EINTR) break;
  }
  WaitForEnd(watched);
  ReleaseAll(held);
  ::_exit(0);
}

Error CreateError(const std::string& path, int number) {
  if (number != EEXIST) return SystemError(ErrorCode::kSetupFailed, "create '" + path + "'", number);
  return {
      .code = ErrorCode::kSetupFailed,
      .message = "'" + path + "' is denied and did not exist; it appeared while the sandbox was being set up",
      .hint = "run the command again"};
}

}  // namespace

Result<Placeholders> Placeholders::Create(const std::vector<std::string>& paths) {
  Placeholders placeholders;
  int ends[2] = {-1, -1};
  // A socket keeps each message whole, in both directions.
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemError(ErrorCode::kSetupFailed, "reach the guardian", errno);
  }
  placeholders.pipe_.Reset(ends[0]);
  const UniqueFd theirs{ends[1]};
  placeholders.guardian_ = ::fork();
  if (placeholders.guardian_ < 0) return SystemError(ErrorCode::kSetupFailed, "start the guardian", errno);
  if (placeholders.guardian_ == 0) Guard(theirs.Get(), paths);
  Answer answer;
  ssize_t count = 0;
  while ((count = ::recv(placeholders.pipe_.Get(), &answer, sizeof answer, 0)) < 0 && errno == EINTR) {
  }
  if (count != static_cast<ssize_t>(sizeof answer)) {
    return Error{.code = ErrorCode::kSetupFailed, .message = "the guardian of the placeholders died"};
  }
  if (answer.error != 0) return CreateError(paths.at(answer.index), answer.error);
  return placeholders;
}

Placeholders::Placeholders(Placeholders&& other) noexcept
    : pipe_(std::move(other.pipe_)), guardian_(std::exchange(other.guardian_, -1)) {}

Placeholders& Placeholders::operator=(Placeholders&& other) noexcept {
  if (this != &other) {
    Remove();
    pipe_ = std::move(other.pipe_);
    guardian_ = std::exchange(other.guardian_, -1);
  }
  return *this;
}

void Placeholders::Watch(pid_t process) const {
  if (pipe_) ::send(pipe_.Get(), &process, sizeof process, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Placeholders::Remove() {
  if (guardian_ < 0) return;
  pipe_.Reset();
  while (::waitpid(guardian_, nullptr, 0) < 0 && errno == EINTR) {
  }
  guardian_ = -1;
}

}  // namespace mxc
