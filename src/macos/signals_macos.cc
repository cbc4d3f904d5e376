#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "macos/signals.h"

namespace mxc {
namespace {

constexpr std::array<int, 6> kSignals = {SIGCHLD, SIGHUP, SIGINT, SIGTERM, SIGWINCH, SIGPIPE};

// What a handler may touch.
volatile std::sig_atomic_t wake_up = -1;
std::array<struct sigaction, kSignals.size()> before;

void Note(int number) {
  const int saved = errno;
  const char byte = static_cast<char>(number);
  [[maybe_unused]] const ssize_t told = ::write(wake_up, &byte, 1);
  errno = saved;
}

}  // namespace

Status MacSignals::Begin() {
  Result<Pipe> pipe = MakePipe();
  if (!pipe) return pipe.error();
  pipe_ = std::move(*pipe);
  for (const int end : {pipe_.reading.Get(), pipe_.writing.Get()}) {
    if (::fcntl(end, F_SETFL, O_NONBLOCK) != 0)
      return SystemError(ErrorCode::kSetupFailed, "prepare a pipe", errno);
  }
  wake_up = pipe_.writing.Get();
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = kSignals.at(i) == SIGPIPE ? SIG_IGN : Note;
    action.sa_flags = SA_RESTART;
    ::sigaction(kSignals.at(i), &action, &before.at(i));
  }
  return Done{};
}

MacSignals::~MacSignals() {
  if (wake_up < 0) return;
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals.at(i), &before.at(i), nullptr);
  wake_up = -1;
}

void MacSignals::Take(bool& resized) {
  std::array<char, 64> bytes{};
  ssize_t count = 0;
  while ((count = ::read(pipe_.reading.Get(), bytes.data(), bytes.size())) > 0) {
    for (ssize_t i = 0; i < count; ++i) {
      const int number = bytes.at(static_cast<std::size_t>(i));
      if (number == SIGWINCH) resized = true;
      const bool ends = number == SIGHUP || number == SIGINT || number == SIGTERM;
      if (ends && ending_ == 0) ending_ = number;
    }
  }
}

}  // namespace mxc
