#include "base/terminal.h"

#if defined(_WIN32)
#include <io.h>
#else
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>
#endif

#include <cstdlib>
#include <string>
#include <string_view>

namespace mxc {
namespace {

std::string_view TextOfVariable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? "" : value;
}

int& Given() {
  static int outer = -1;
  return outer;
}

int& Shown() {
  static int outer = -1;
  return outer;
}

bool IsOuterSide(int fd) {
#if defined(_WIN32)
  return fd < -1;  // there are none
#else
  return fd > 2 && ::ptsname(fd) != nullptr;  // NOLINT(concurrency-mt-unsafe): one thread
#endif
}

}  // namespace

Status GiveTerminal(int outer) {
  if (!IsOuterSide(outer)) {
    return Error{
        .code = ErrorCode::kUsage,
        .message = "--terminal-fd " + std::to_string(outer) + " is not the outer side of a pseudo-terminal",
        .hint = "open one with posix_openpt(3)"};
  }
  Given() = outer;
  return Done{};
}

int GivenTerminal() { return Given(); }

void ShowTerminal(int outer) { Shown() = outer; }

bool IsDrawnOn() {
#if defined(_WIN32)
  return false;
#else
  termios modes{};
  return Shown() >= 0 && ::tcgetattr(Shown(), &modes) == 0 && (modes.c_lflag & ICANON) == 0;
#endif
}

bool IsTerminal(int borrowed_fd) {
#if defined(_WIN32)
  return ::_isatty(borrowed_fd) != 0;
#else
  return ::isatty(borrowed_fd) != 0;
#endif
}

bool TakesColours(int borrowed_fd) {
  const std::string_view term = TextOfVariable("TERM");
  return IsTerminal(borrowed_fd) && !term.empty() && term != "dumb" && TextOfVariable("NO_COLOR").empty();
}

}  // namespace mxc
