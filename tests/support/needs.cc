#include "tests/support/needs.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/unique_fd.h"

namespace mxc::test {

bool HoldsInChild(const std::function<bool()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(attempt() ? 0 : 1);
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

const char* MissingNamespaces() {
  const bool made = HoldsInChild([] { return ::unshare(CLONE_NEWUSER) == 0; });
  return made ? nullptr : "needs a user namespace, which this system does not let it make";
}

const char* MissingSetGroupId() {
  const UniqueFd file{::memfd_create("needs", MFD_CLOEXEC)};
  const bool set = ::fchmod(file.Get(), S_ISGID | S_IRUSR | S_IWUSR) == 0;
  return set ? nullptr : "needs set-group-ID modes, which this system refuses it";
}

const char* MissingOpenat2() {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  const UniqueFd root{static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof how))};
  return root ? nullptr : "needs openat2, which this system does not have or hides";
}

}  // namespace mxc::test
