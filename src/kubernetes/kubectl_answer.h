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
  kPassing,  // ask again
};
[[nodiscard]] KubectlFailure FailureOf(const KubectlAnswer& answer);
// `what`: "create a SandboxClaim". kUnavailable.
[[nodiscard]] Error ErrorOf(std::string_view what, const KubectlAnswer& answer);

}  // namespace mxc::kubernetes
