#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "process/placeholders.h"
#include "process/process_tree.h"

namespace mxc {
namespace {

// A sandbox that is being killed is gone in milliseconds; this bounds the wait for one that is stuck.
constexpr int kMaxWaitMs = 10000;

struct CreatedFile {
  std::string path;
  dev_t device;
  ino_t inode;
};

// The guardian's answer: all stand, or the errno of the one that does not.
struct Answer {
  std::size_t index = 0;
  int error = 0;
};

Answer CreateAll(const std::vector<std::string>& paths, std::vector<CreatedFile>& created) {
  created.reserve(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    // O_EXCL does not follow a symbolic link either: whatever is there by now is not ours.
    const UniqueFd file{::open(paths[i].c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    struct stat status {};
    if (!file || ::fstat(file.Get(), &status) != 0) return {.index = i, .error = errno};
    created.push_back({.path = paths[i], .device = status.st_dev, .inode = status.st_ino});
  }
  return {};
}

void RemoveAll(const std::vector<CreatedFile>& created) {
  for (auto file = created.rbegin(); file != created.rend(); ++file) {
    struct stat status {};
    if (::lstat(file->path.c_str(), &status) != 0) continue;
    const bool ours = status.st_dev == file->device && status.st_ino == file->inode &&
                      S_ISREG(status.st_mode) && status.st_size == 0;
    if (ours) ::unlink(file->path.c_str());
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
  std::vector<CreatedFile> created;
  const Answer answer = CreateAll(paths, created);
  ::send(3, &answer, sizeof answer, MSG_NOSIGNAL);
  std::vector<UniqueFd> watched;
  pid_t process = 0;
  ssize_t count = 0;
  while ((count = ::recv(3, &process, sizeof process, 0)) != 0) {
    if (count == static_cast<ssize_t>(sizeof process)) watched.push_back(HandleOf(process));
    if (count < 0 && errno != EINTR) break;
  }
  WaitForEnd(watched);
  RemoveAll(created);
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
