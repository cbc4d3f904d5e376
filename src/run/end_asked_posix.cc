#include <csignal>
#include <initializer_list>

#include "run/end_asked.h"

namespace mxc {

bool IsEndAsked() {
  sigset_t waiting;
  if (::sigpending(&waiting) != 0) return false;
  for (const int number : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    if (sigismember(&waiting, number) == 1) return true;
  }
  return false;
}

}  // namespace mxc
