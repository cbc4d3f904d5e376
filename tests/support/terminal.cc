#include "tests/support/terminal.h"

#include <fcntl.h>
#include <pty.h>
#include <termios.h>

#include <array>
#include <cstdlib>

#include "tests/support/program.h"

namespace mxc::test {
namespace {

std::string Take(int fd) {
  ::fcntl(fd, F_SETFL, O_NONBLOCK);
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(fd, buffer.data(), buffer.size());
  return {buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
}

}  // namespace

Terminal::Terminal(uid_t owner) {
  int ours = -1;
  int theirs = -1;
  if (::openpty(&ours, &theirs, nullptr, nullptr, nullptr) != 0) std::abort();
  ours_.Reset(ours);
  theirs_.Reset(theirs);
  for (const int fd : {ours, theirs}) ::fcntl(fd, F_SETFD, FD_CLOEXEC);
  termios settings{};
  ::tcgetattr(theirs, &settings);
  ::cfmakeraw(&settings);
  ::tcsetattr(theirs, TCSANOW, &settings);
  if (::fchown(theirs, owner, static_cast<gid_t>(owner)) != 0) std::abort();
}

void Terminal::Type(std::string_view text) const {
  if (::write(ours_.Get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
}

std::string Terminal::Output() const { return Take(ours_.Get()); }

std::string Terminal::Typed() const { return Take(theirs_.Get()); }

std::string Terminal::OutputUpTo(std::string_view text) const {
  std::string seen;
  [[maybe_unused]] const bool came = Eventually([&] {
    seen += Output();
    return seen.find(text) != std::string::npos;
  });
  return seen;
}

}  // namespace mxc::test
