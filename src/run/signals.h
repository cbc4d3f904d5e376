// Signals of the launcher while a run lasts: those that end it are read from a descriptor, and ours are put
// back afterwards.
#pragma once

#include <csignal>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

class SignalScope {
 public:
  // Takes every signal that would end us, those excepted that the caller had set to be ignored (nohup), and
  // WINCH and CONT. For a fault of our own the kernel ends us all the same. SIGPIPE and SIGXFSZ are ignored,
  // because we write what the command has said; SIGCHLD is not, or the kernel would throw the child's status
  // away.
  [[nodiscard]] Status Begin();
  ~SignalScope();
  SignalScope() = default;
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

  [[nodiscard]] int Descriptor() const { return descriptor_.Get(); }
  [[nodiscard]] std::vector<int> Take();  // the numbers that have arrived
  // One of those that end a run has arrived. Take still returns it, but Descriptor() is no longer readable.
  [[nodiscard]] bool Ending();

 private:
  UniqueFd descriptor_;
  std::vector<int> arrived_;
  sigset_t before_{};
  struct sigaction pipe_ {};
  struct sigaction size_ {};
  struct sigaction child_ {};
  bool begun_ = false;
};

}  // namespace mxc
