#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <utility>

#include "process/wiring.h"

namespace mxc {
namespace {

// Documentation/admin-guide/devices.txt: null, zero, full, random, urandom. They keep nothing of what is
// written.
constexpr unsigned kMemoryMajor = 1;
constexpr bool IsHarmless(unsigned minor) {
  return minor == 3 || minor == 5 || minor == 7 || minor == 8 || minor == 9;
}

}  // namespace

bool MayPass(int fd) {
  struct stat status {};
  return ::fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && major(status.st_rdev) == kMemoryMajor &&
         IsHarmless(minor(status.st_rdev));
}

Status ConnectInput(Wiring& wiring, Undo& /*undo*/) {
  Result<StandardInput::Opened> opened = StandardInput::Open(STDIN_FILENO);
  if (!opened) return opened.error();
  wiring.standard[0] = opened->child_end.Get();
  wiring.child_ends.push_back(std::move(opened->child_end));
  wiring.input = std::move(opened->input);
  return Done{};
}

}  // namespace mxc
