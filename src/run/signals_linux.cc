#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "run/signals.h"

namespace mxc {
namespace {

// The default action of every other one, those for real time included, ends a process; the last two we
// ignore.
bool EndsNobody(int number) {
  constexpr int kThese[] = {SIGCHLD, SIGCONT, SIGSTOP,  SIGTSTP, SIGTTIN,
                            SIGTTOU, SIGURG,  SIGWINCH, SIGPIPE, SIGXFSZ};
  return std::find(std::begin(kThese), std::end(kThese), number) != std::end(kThese);
}

}  // namespace

bool EndsRun(int number) {
  constexpr int kOthers[] = {SIGWINCH, SIGCONT, SIGUSR1, SIGUSR2};
  return std::find(std::begin(kOthers), std::end(kOthers), number) == std::end(kOthers);
}

Status SignalScope::Begin() {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGWINCH);
  sigaddset(&taken, SIGCONT);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction current {};
    // Of the numbers that libc keeps there is no telling.
    if (EndsNobody(number) || ::sigaction(number, nullptr, &current) != 0) continue;
    if (current.sa_handler != SIG_IGN) sigaddset(&taken, number);
  }
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
    taken.push_back({.number = static_cast<int>(info.ssi_signo), .by_kernel = info.ssi_code > 0});
  }
  return taken;
}

bool SignalScope::Ending() {
  arrived_ = Take();
  return std::any_of(arrived_.begin(), arrived_.end(),
                     [](const TakenSignal& signal) { return EndsRun(signal.number); });
}

}  // namespace mxc
