#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "macos/child.h"
#include "macos/seatbelt.h"
#include "run/seatbelt_orders.h"
#include "spawn/process_limits.h"

namespace mxc {
namespace {

constexpr int kFailed = 255;

std::string ReadAll(int fd) {
  std::string bytes;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

int Fail(const std::string& text) {
  [[maybe_unused]] const ssize_t told = ::write(kErrorFd, text.data(), text.size());
  return kFailed;
}

int FailErrno(const std::string& what) { return Fail("could not " + what + ": " + std::strerror(errno)); }

bool TakeTerminal() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::isatty(fd) != 0) return ::ioctl(fd, TIOCSCTTY, 0) == 0;
  }
  return true;
}

bool SetLimits(const ProcessLimits& limits) {
  for (const LimitValue& limit : LimitsOf(limits)) {
    if (::setrlimit(limit.which, &limit.value) != 0) return false;
  }
  return true;
}

std::vector<char*> Pointers(std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  for (std::string& text : strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string_view SearchPath(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string_view variable : environment) {
    if (variable.starts_with(kName)) return variable.substr(kName.size());
  }
  return "/usr/bin:/bin";
}

// Only ever comes back with errno.
void Execute(SeatbeltOrders& orders) {
  const std::vector<char*> argv = Pointers(orders.argv);
  const std::string search{SearchPath(orders.environment)};
  const std::vector<char*> environment = Pointers(orders.environment);
  const std::string& name = orders.argv.front();
  if (name.find('/') != std::string::npos) {
    ::execve(name.c_str(), argv.data(), environment.data());
    return;
  }
  int reason = ENOENT;
  for (std::size_t start = 0; start <= search.size();) {
    const std::size_t end = std::min(search.find(':', start), search.size());
    const std::string path = search.substr(start, end - start) + "/" + name;
    ::execve(path.c_str(), argv.data(), environment.data());
    if (errno != ENOENT && errno != ENOTDIR) reason = errno;
    start = end + 1;
  }
  errno = reason;
}

}  // namespace

int RunSeatbeltChild() {
  ::fcntl(kErrorFd, F_SETFD, FD_CLOEXEC);
  Result<SeatbeltOrders> orders = Unpack(ReadAll(kOrdersFd));
  ::close(kOrdersFd);
  if (!orders) return Fail(orders.error().message);
  if (orders->take_terminal && !TakeTerminal()) return FailErrno("take the private terminal");
  if (!SetLimits(orders->limits)) return FailErrno("set the limits of each process");
  if (!orders->cwd.empty() && ::chdir(orders->cwd.c_str()) != 0)
    return FailErrno("enter the working directory");
  if (!orders->profile.empty()) {
    const std::string problem = Confine(orders->profile, orders->parameters);
    if (!problem.empty()) return Fail("the sandbox was refused: " + problem);
  }
  Execute(*orders);
  return FailErrno("execute '" + orders->argv.front() + "'");
}

}  // namespace mxc
