// The launcher's signals during a run: it reads those that would end it from a signalfd, and restores mask
// and dispositions afterwards.
#pragma once

#include <csignal>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

struct TakenSignal {
  int number = 0;
  bool by_kernel = false;  // a key or the hang-up of a terminal: the whole process group has got it
};

// False of those that a command is told and that ask nobody to end.
[[nodiscard]] bool EndsRun(int number);

class SignalScope {
 public:
  // Blocks every signal that would end the launcher, and WINCH and CONT. Faults still end the launcher.
  // Ignores SIGPIPE and SIGXFSZ, because the launcher writes the command's output. Resets SIGCHLD: if it were
  // ignored, the kernel would discard the child's status.
  [[nodiscard]] Status Begin();
  ~SignalScope();
  SignalScope() = default;
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  [[nodiscard]] int Descriptor() const { return descriptor_.Get(); }
  // What has arrived, without what the caller ignores (nohup).
  [[nodiscard]] std::vector<TakenSignal> Take();
  // Whether a signal that ends a run has arrived. Take still returns it; Descriptor() is no longer readable.
  [[nodiscard]] bool Ending();

 private:
  UniqueFd descriptor_;
  std::vector<TakenSignal> arrived_;
  sigset_t before_{};
  struct sigaction pipe_ {};
  struct sigaction size_ {};
  struct sigaction child_ {};
  bool begun_ = false;
};

}  // namespace mxc
