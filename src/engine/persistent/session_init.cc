#include "engine/persistent/session_init.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <span>
#include <vector>

#include "base/kernel_calls.h"
#include "engine/child.h"
#include "engine/hide_arguments.h"
#include "engine/sandbox_entry.h"

namespace mxc {
namespace {

constexpr int kUsage = 2;

// -1: none.
int SocketOf(const char* text) {
  const int fd = engine::NumberIn(text);
  struct stat status {};
  return fd > 2 && ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) ? fd : -1;
}

}  // namespace

int RunSessionInit(std::span<char* const> arguments) {
  const int proc = engine::NumberIn(arguments[0]);
  const int profile = engine::NumberIn(arguments[1]);
  const int namespace_socket = SocketOf(arguments[2]);
  const int session = SocketOf(arguments[3]);
  if (proc < 0 || profile < 0 || profile > static_cast<int>(SeccompProfile::kRootCaller) || session < 0)
    return kUsage;
  engine::FinishSandbox(proc, static_cast<SeccompProfile>(profile), namespace_socket);
  // Before the first command exists: none may read init's memory, descriptors or program file.
  if (::prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL) != 0) return kUsage;
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  HideArguments("mxc-init");
  CloseAllBut(3, std::array{session});
  engine::Program program;
  program.session = session;
  std::vector<int> slots;
  const engine::Child init{.program = program, .slots = slots, .report_to = session, .init = ::getpid()};
  engine::HoldSession(init);
}

}  // namespace mxc
