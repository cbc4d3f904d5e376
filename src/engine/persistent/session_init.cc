#include "engine/persistent/session_init.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <csignal>
#include <string_view>
#include <vector>

#include "base/kernel_calls.h"
#include "engine/child.h"
#include "engine/hide_arguments.h"

namespace mxc {
namespace {

constexpr int kUsage = 2;

// -1: none.
int SocketOf(std::string_view text) {
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  struct stat status {};
  const bool number = error == std::errc() && end == text.data() + text.size() && fd > 2;
  return number && ::fstat(fd, &status) == 0 && S_ISSOCK(status.st_mode) ? fd : -1;
}

}  // namespace

int RunSessionInit(const char* socket) {
  const int session = SocketOf(socket);
  if (session < 0) return kUsage;
  // Before anything else is in here that could look: our memory, our descriptors and our file are not for it.
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
