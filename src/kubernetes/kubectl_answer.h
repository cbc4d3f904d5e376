// What kubectl has answered, and why it has failed.
#pragma once

#include <string>
#include <string_view>

#include "mxc/error.h"

namespace mxc::kubernetes {

enum class KubectlEnd { kExited, kTimedOut, kInterrupted, kEnough };

struct KubectlAnswer {
  KubectlEnd end = KubectlEnd::kExited;
  int exit_code = -1;    // 128 + signal
  std::string out = {};  // bounded; empty with `on_line`
  std::string err = {};  // bounded
  [[nodiscard]] bool Succeeded() const { return end == KubectlEnd::kExited && exit_code == 0; }
};

// Why kubectl has failed, as far as it says.
enum class KubectlFailure {
  kRefused,  // the cluster will not, however often it is asked
  kNotFound,
  kExists,
  kChanged,  // it is another than the preconditions say
  kPassing,  // ask again
};
[[nodiscard]] KubectlFailure FailureOf(const KubectlAnswer& answer);
// It has reached no server, by its own last words: nothing was done. False also where they leave that open.
[[nodiscard]] bool WasUnsent(const KubectlAnswer& answer);
// The caller ended the wait, and knows why: kInternal, without a message.
[[nodiscard]] Error Interrupted();
// `what`: "create a SandboxClaim". kUnavailable.
[[nodiscard]] Error ErrorOf(std::string_view what, const KubectlAnswer& answer);

}  // namespace mxc::kubernetes
