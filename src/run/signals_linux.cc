#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "run/signals.h"

namespace mxc {
namespace {

// The default action of every other one, those for real time included, ends a process; SIGWINCH and SIGCONT
// are passed on, and the last two we ignore.
constexpr int kLeft[] = {SIGCHLD, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGPIPE, SIGXFSZ};

// One that is blocked arrives although it is ignored. Asked here, and not of all 64 at the beginning, each of
// which would be a system call.
bool CallerIgnores(int number) {
  struct sigaction current {};
  if (number == SIGWINCH || number == SIGCONT) return false;
  return ::sigaction(number, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

bool EndsRun(int number) {
  constexpr int kOthers[] = {SIGWINCH, SIGCONT, SIGUSR1, SIGUSR2};
  return std::find(std::begin(kOthers), std::end(kOthers), number) == std::end(kOthers);
}

Status SignalScope::Begin() {
  sigset_t taken;
  sigfillset(&taken);
  for (const int number : kLeft) sigdelset(&taken, number);
  ::sigprocmask(SIG_BLOCK, &taken, &before_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &pipe_);
  ::sigaction(SIGXFSZ, &ignore, &size_);
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, &child_);
  begun_ = true;
  descriptor_.Reset(::signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!descriptor_) return SystemError(ErrorCode::kSetupFailed, "watch for signals", errno);
  return Done{};
}

SignalScope::~SignalScope() {
  if (!begun_) return;
  ::sigaction(SIGCHLD, &child_, nullptr);
  ::sigaction(SIGXFSZ, &size_, nullptr);
  ::sigaction(SIGPIPE, &pipe_, nullptr);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::vector<TakenSignal> SignalScope::Take() {
  std::vector<TakenSignal> taken = std::exchange(arrived_, {});
  signalfd_siginfo info{};
  while (::read(descriptor_.Get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const auto number = static_cast<int>(info.ssi_signo);
    if (!CallerIgnores(number)) taken.push_back({.number = number, .by_kernel = info.ssi_code > 0});
  }
  return taken;
}

bool SignalScope::Ending() {
  arrived_ = Take();
  return std::any_of(arrived_.begin(), arrived_.end(),
                     [](const TakenSignal& signal) { return EndsRun(signal.number); });
}

}  // namespace mxc
