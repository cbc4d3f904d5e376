#include "tests/support/needs.h"

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

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

}  // namespace mxc::test
