#include "base/terminal.h"

#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include <cstdlib>
#include <string_view>

namespace mxc {
namespace {

std::string_view TextOfVariable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): one thread
  return value == nullptr ? "" : value;
}

}  // namespace

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
