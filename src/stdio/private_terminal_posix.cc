#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>

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

// The terminal is another job's, and setting its modes would not stop us (SIGTTOU).
bool IsAnothers(int terminal) {
  const pid_t foreground = ::tcgetpgrp(terminal);
  struct sigaction action {};
  return foreground >= 0 && foreground != ::getpgrp() && ::sigaction(SIGTTOU, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}

void Restore(const CallersModes& caller) {
  if (IsAnothers(caller.terminal)) return TakeRawModesBack(caller);
  ::tcsetattr(caller.terminal, TCSADRAIN, &caller.modes);
}

void MakeRaw(const CallersModes& caller) {
  if (IsAnothers(caller.terminal)) return TakeRawModesBack(caller);
  const termios raw = Raw(caller.modes);
  ::tcsetattr(caller.terminal, TCSADRAIN, &raw);
}

}  // namespace

std::optional<CallersModes> LookAtCallersModes() {
  CallersModes caller{.terminal = CallersTerminal()};
  if (caller.terminal < 0 || ::tcgetattr(caller.terminal, &caller.modes) != 0) return std::nullopt;
  return caller;
}

void TakeRawModesBack(const CallersModes& before) {
  termios now{};
  if (::tcgetattr(before.terminal, &now) != 0) return;
  const termios raw = Raw(before.modes);
  if (now.c_iflag == raw.c_iflag && now.c_oflag == raw.c_oflag && now.c_lflag == raw.c_lflag)
    ::tcsetattr(before.terminal, TCSANOW, &before.modes);
}

bool PrivateTerminal::OpenSides(int access) {
  const int given = GivenTerminal();
  outer_.Reset(given >= 0 ? ::fcntl(given, F_DUPFD_CLOEXEC, 3)
                          : ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (given >= 0 && outer_) ::fcntl(Outer(), F_SETFL, O_RDWR | O_NONBLOCK);
  if (!outer_ || ::grantpt(Outer()) != 0 || ::unlockpt(Outer()) != 0) return false;
  inner_ = OpenInnerSide(Outer(), access);
  return static_cast<bool>(inner_);
}

Result<PrivateTerminal> PrivateTerminal::Open(Undo& undo) {
  PrivateTerminal terminal;
  if (!terminal.OpenSides(O_RDWR)) return Failed();
  terminal.caller_ = CallersTerminal();
  const std::optional<CallersModes> caller = LookAtCallersModes();
  if (!caller) return terminal;
  if (::tcsetattr(terminal.Inner(), TCSANOW, &caller->modes) != 0) return Failed();
  terminal.CopyWindowSize();
  terminal.before_ = caller;
  ShowTerminal(terminal.Outer());
  undo.Push([before = *caller] {
    ShowTerminal(-1);
    Restore(before);
  });
  MakeRaw(*caller);
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
  return before_ && static_cast<cc_t>(typed) == before_->modes.c_cc[VSUSP];
}

void PrivateTerminal::Suspend() const {
  if (!before_) return;
  Restore(*before_);
  ::kill(0, SIGTSTP);
  OnContinue();
}

void PrivateTerminal::OnContinue() const {
  if (!before_) return;
  MakeRaw(*before_);
  CopyWindowSize();
}

std::string EndOfInput(int borrowed_outer, char last_byte) {
  termios modes{};
  if (::tcgetattr(borrowed_outer, &modes) != 0 || (modes.c_lflag & ICANON) == 0) return {};
  const std::string end(1, static_cast<char>(modes.c_cc[VEOF]));
  // In the middle of a line the first one only hands over what has been typed.
  return last_byte == '\n' ? end : end + end;
}

}  // namespace mxc
