// How the output of a command is filtered, and the audit log.
#pragma once

#include <cstdint>
#include <string>

namespace mxc {

struct Output {
  std::uint64_t max_bytes = 0;  // per stream; 0: no cap
  bool redact_secrets = false;
  bool redact_pii = false;
  [[nodiscard]] bool Pumped() const { return max_bytes != 0 || redact_secrets || redact_pii; }
};

struct Audit {
  enum class OnFailure { kRefuse, kWarn };
  std::string path = {};  // absolute; empty: no audit
  OnFailure on_failure = OnFailure::kRefuse;
  bool syslog = false;  // the hash of each line goes to the system's log as well
};

}  // namespace mxc
