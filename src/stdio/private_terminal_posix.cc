#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "base/terminal.h"
#include "stdio/private_terminal.h"

namespace mxc {
namespace {

int CallersTerminal() {
  if (GivenTerminal() >= 0) return -1;  // its caller does all that a terminal's owner does
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::isatty(fd) != 0) return fd;
  }
  return -1;
}

Error Failed() { return SystemError(ErrorCode::kSetupFailed, "create a private terminal", errno); }

termios Raw(termios modes) {
  ::cfmakeraw(&modes);
  return modes;
}

// In which a command starts that does not find the modes that its caller's shell edits a line in.
termios Cooked(termios modes) {
  modes.c_iflag |= ICRNL;
  modes.c_oflag |= OPOST | ONLCR;
  modes.c_lflag |= ICANON | ECHO | ISIG | IEXTEN;
  return modes;
}

bool AreSame(const termios& one, const termios& other) {
  return one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag && one.c_lflag == other.c_lflag;
}

bool IsAnothers(int terminal) {
  const pid_t foreground =
      ::tcgetpgrp(terminal);  // -1: no terminal of our session's, where there are no jobs
  return foreground >= 0 && foreground != ::getpgrp();
}

void MakeRaw(const CallersModes& caller) {
  CallersModes::Held& held = *caller.held;
  termios now{};
  if (::tcgetattr(caller.terminal, &now) != 0) return;
  if (!AreSame(now, Raw(held.modes))) held.modes = now;
  const termios raw = Raw(held.modes);
  held.raw = true;  // first: we may be killed
  ::tcsetattr(caller.terminal, TCSADRAIN, &raw);
}

void Restore(const CallersModes& caller) {
  if (IsAnothers(caller.terminal)) return TakeRawModesBack(caller);
  if (caller.held->raw) ::tcsetattr(caller.terminal, TCSADRAIN, &caller.held->modes);
  caller.held->raw = false;
}

// Shared with the cleanup process.
std::shared_ptr<CallersModes::Held> MakeHeld() {
  using Held = CallersModes::Held;
  void* const page = ::mmap(nullptr, sizeof(Held), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return std::make_shared<Held>();
  return {new (page) Held{}, [](Held* held) { ::munmap(held, sizeof(Held)); }};
}

}  // namespace

std::optional<CallersModes> LookAtCallersModes() {
  CallersModes caller{.terminal = CallersTerminal()};
  termios modes{};
  if (caller.terminal < 0 || ::tcgetattr(caller.terminal, &modes) != 0) return std::nullopt;
  caller.held = MakeHeld();
  caller.held->modes = IsAnothers(caller.terminal) ? Cooked(modes) : modes;
  return caller;
}

void TakeRawModesBack(const CallersModes& caller) {
  termios now{};
  if (!std::exchange(caller.held->raw, false) || ::tcgetattr(caller.terminal, &now) != 0) return;
  if (!AreSame(now, Raw(caller.held->modes))) return;
  // In the background it would stop us.
  sigset_t stops;
  sigset_t before;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTTOU);
  ::sigprocmask(SIG_BLOCK, &stops, &before);
  ::tcsetattr(caller.terminal, TCSANOW, &caller.held->modes);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

bool PrivateTerminal::OpenSides(int access, int multiplexer) {
  const int given = GivenTerminal();
  if (given < 0 && multiplexer >= 0) {
    outer_ = OpenOuterSide(multiplexer);
    if (outer_ && ::unlockpt(Outer()) == 0) inner_ = OpenInnerSide(Outer(), access);
    if (inner_) return true;
  }
  outer_.Reset(given >= 0 ? ::fcntl(given, F_DUPFD_CLOEXEC, 3)
                          : ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (given >= 0 && outer_) ::fcntl(Outer(), F_SETFL, O_RDWR | O_NONBLOCK);
  if (!outer_ || ::grantpt(Outer()) != 0 || ::unlockpt(Outer()) != 0) return false;
  inner_ = OpenInnerSide(Outer(), access);
  return static_cast<bool>(inner_);
}

Result<PrivateTerminal> PrivateTerminal::Open(const std::optional<CallersModes>& caller, Undo& undo,
                                              int multiplexer) {
  PrivateTerminal terminal;
  if (!terminal.OpenSides(O_RDWR, multiplexer)) return Failed();
  terminal.caller_ = CallersTerminal();
  if (!caller) return terminal;
  if (::tcsetattr(terminal.Inner(), TCSANOW, &caller->held->modes) != 0) return Failed();
  terminal.CopyWindowSize();
  terminal.job_ = std::make_shared<Job>(Job{.caller = *caller, .cooked = IsAnothers(caller->terminal)});
  ShowTerminal(terminal.Outer());
  undo.Push([before = *caller] {
    ShowTerminal(-1);
    Restore(before);
  });
  terminal.OnContinue();
  return terminal;
}

Result<PrivateTerminal> PrivateTerminal::OpenForOutput(int shown) {
  PrivateTerminal terminal;
  if (!terminal.OpenSides(O_WRONLY)) return Failed();
  terminal.caller_ = shown;
  termios modes{};
  if (::tcgetattr(shown, &modes) != 0) return Failed();
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  modes.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  if (::tcsetattr(terminal.Inner(), TCSANOW, &modes) != 0) return Failed();
  terminal.CopyWindowSize();
  return terminal;
}

std::array<int, 3> PrivateTerminal::StandardStreams() const {
  std::array<int, 3> streams = {-1, -1, -1};
  for (int fd = 0; fd < 3; ++fd) {
    if (::isatty(fd) != 0) streams.at(static_cast<std::size_t>(fd)) = Inner();
  }
  // Without any terminal of the caller's the private one is all there is.
  return caller_ < 0 ? std::array<int, 3>{Inner(), Inner(), Inner()} : streams;
}

void PrivateTerminal::CopyWindowSize() const {
  winsize size{};
  if (caller_ >= 0 && ::ioctl(caller_, TIOCGWINSZ, &size) == 0) ::ioctl(Outer(), TIOCSWINSZ, &size);
}

bool PrivateTerminal::IsSuspend(char typed) const {
  return job_ && static_cast<cc_t>(typed) == job_->caller.held->modes.c_cc[VSUSP];
}

void PrivateTerminal::Suspend(int number) const {
  if (!job_) return;
  Restore(job_->caller);
  ::kill(0, number);
  OnContinue();
}

void PrivateTerminal::OnContinue() const {
  if (!job_) return;
  Job& job = *job_;
  job.was_set = false;
  const bool was_in_background = std::exchange(job.in_background, IsAnothers(job.caller.terminal));
  termios now{};
  const bool known = ::tcgetattr(Outer(), &now) == 0;
  if (job.in_background) {
    if (known && !was_in_background) job.in_foreground = now;
    return TakeRawModesBack(job.caller);
  }
  MakeRaw(job.caller);
  CopyWindowSize();
  if (std::exchange(job.cooked, false) && known && AreSame(now, job.in_foreground))
    ::tcsetattr(Outer(), TCSANOW, &job.caller.held->modes);
}

bool PrivateTerminal::Follow() const {
  if (job_ && IsAnothers(job_->caller.terminal) != job_->in_background) OnContinue();
  return !job_ || !job_->in_background;
}

bool PrivateTerminal::WasSet() const {
  termios now{};
  if (!job_ || job_->was_set || ::tcgetattr(Outer(), &now) != 0 || AreSame(now, job_->in_foreground))
    return false;
  job_->was_set = true;
  return true;
}

std::string EndOfInput(int borrowed_outer, char last_byte) {
  termios modes{};
  if (::tcgetattr(borrowed_outer, &modes) != 0 || (modes.c_lflag & ICANON) == 0) return {};
  const std::string end(1, static_cast<char>(modes.c_cc[VEOF]));
  // In the middle of a line the first one only hands over what has been typed.
  return last_byte == '\n' ? end : end + end;
}

}  // namespace mxc
