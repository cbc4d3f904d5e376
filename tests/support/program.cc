#include "tests/support/program.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "tests/support/workspace.h"

namespace mxc::test {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  UniqueFd read, write;
};

Pipe MakePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  return {.read = UniqueFd{ends[0]}, .write = UniqueFd{ends[1]}};
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  // execve takes pointers to non-const and does not write through them.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Appends what is there; closes `fd` at the end of the stream.
void Drain(UniqueFd& fd, std::string& text) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(fd.Get(), buffer.data(), buffer.size());
  if (count > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    fd.Reset();
  }
}

void BecomeUser(uid_t uid) {
  if (uid == ::geteuid()) return;
  const auto gid = static_cast<gid_t>(uid);
  if (::setgroups(0, nullptr) != 0 || ::setresgid(gid, gid, gid) != 0 || ::setresuid(uid, uid, uid) != 0) {
    ::_exit(126);
  }
}

}  // namespace

Running::Running(const Launch& launch) : input_(launch.input), deadline_(Clock::now() + launch.deadline) {
  ::signal(SIGPIPE, SIG_IGN);  // a program may close its input early
  Pipe in = MakePipe();
  Pipe out = MakePipe();
  Pipe err = MakePipe();
  pid_ = ::fork();
  if (pid_ < 0) std::abort();
  if (pid_ == 0) {
    if (launch.terminal >= 0) Exec(launch, {launch.terminal, launch.terminal, launch.terminal});
    Exec(launch, {in.read.Get(), out.write.Get(), err.write.Get()});
  }
  process_.Reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  in_ = std::move(in.write);
  out_ = std::move(out.read);
  err_ = std::move(err.read);
  for (const UniqueFd* fd : {&in_, &out_, &err_}) ::fcntl(fd->Get(), F_SETFL, O_NONBLOCK);
}

void Running::Exec(const Launch& launch, std::array<int, 3> streams) const {
  ::setsid();
  ::signal(SIGPIPE, SIG_DFL);
  if (launch.terminal >= 0) ::ioctl(launch.terminal, TIOCSCTTY, 0);
  // First out of the way, then to their places: a number may be another one's source.
  std::vector<PassedFile> files;
  for (int i = 0; i < 3; ++i)
    files.push_back({.borrowed_fd = streams.at(static_cast<std::size_t>(i)), .number = i});
  files.insert(files.end(), launch.files.begin(), launch.files.end());
  for (PassedFile& file : files) file.borrowed_fd = ::fcntl(file.borrowed_fd, F_DUPFD_CLOEXEC, 500);
  for (const PassedFile& file : files) ::dup2(file.borrowed_fd, file.number);

  std::vector<std::string> argv{launch.program};
  argv.insert(argv.end(), launch.arguments.begin(), launch.arguments.end());
  const std::vector<char*> arguments = Pointers(argv);
  const std::vector<char*> environment = Pointers(launch.environment);
  if (launch.before_exec) launch.before_exec();
  BecomeUser(launch.uid);
  if (::chdir(launch.cwd.c_str()) != 0) ::_exit(125);
  ::execve(launch.program.c_str(), arguments.data(), environment.data());
  ::_exit(127);
}

Running::~Running() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void Running::Signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

int Running::MillisecondsLeft() const {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1000000));
}

void Running::Feed() {
  if (!input_.empty()) {
    const ssize_t count = ::write(in_.Get(), input_.data(), input_.size());
    if (count < 0 && errno != EAGAIN) input_.clear();
    if (count > 0) input_.erase(0, static_cast<std::size_t>(count));
  }
  if (input_.empty()) in_.Reset();
}

bool Running::Step() {
  if (!out_ && !err_ && !process_) return false;
  std::array<pollfd, 4> polls{{{in_.Get(), POLLOUT, 0},
                               {out_.Get(), POLLIN, 0},
                               {err_.Get(), POLLIN, 0},
                               {process_.Get(), POLLIN, 0}}};
  if (::poll(polls.data(), polls.size(), MillisecondsLeft()) == 0) {
    ended_.overdue = true;
    return false;
  }
  if (polls[0].revents != 0) Feed();
  if (polls[1].revents != 0) Drain(out_, ended_.out);
  if (polls[2].revents != 0) Drain(err_, ended_.err);
  if (polls[3].revents != 0) {
    process_.Reset();
    in_.Reset();
    int status = 0;
    ::waitpid(std::exchange(pid_, -1), &status, 0);
    ended_.status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  return true;
}

bool Running::SaysOnStdout(std::string_view text) {
  while (ended_.out.find(text) == std::string::npos) {
    if (!out_ || !Step()) return false;
  }
  return true;
}

Ended Running::Wait() {
  while (Step()) {
  }
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  return std::move(ended_);
}

Ended Execute(const Launch& launch) { return Running(launch).Wait(); }

std::vector<pid_t> Survivors(const std::string& marker) {
  std::vector<pid_t> found;
  for (const std::string& name : Names("/proc")) {
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    const std::string command_line = Contents("/proc/" + name + "/cmdline").value_or("");
    if (pid != ::getpid() && command_line.find(marker) != std::string::npos) found.push_back(pid);
  }
  return found;
}

bool Eventually(const std::function<bool()>& holds) {
  for (int round = 0; round < 600; ++round) {
    if (holds()) return true;
    ::usleep(50000);
  }
  return false;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string LastLine(const std::string& text) {
  const std::vector<std::string> lines = Lines(text);
  return lines.empty() ? "" : lines.back();
}

}  // namespace mxc::test
