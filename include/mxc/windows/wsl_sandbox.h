// A persistent sandbox in a WSL distribution: the calls of the mxc-exec on Windows to the one inside.
//
//   --dry-run            with the document as a provision request
//   start --foreground   with the document; prints the sandbox's identifier inside
//   an exec request      with that identifier
//   stop ID
//
// `start` runs in the sandbox's keeper: each of the two ends with the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/policy.h"
#include "mxc/secret.h"
#include "mxc/windows/wsl_run.h"

namespace mxc {

struct WslSandbox {
  WslRun run = {};          // with the document of provision
  std::string inside = {};  // identifier in the distribution; empty: not known, or none
};

// `document` as a provision request. Errors: kSetupFailed.
[[nodiscard]] Result<std::string> WslProvisionDocument(const std::string& document);
// `document` with the sandbox's time-outs in milliseconds; 0: none. Errors: kSetupFailed.
[[nodiscard]] Result<std::string> WslStartDocument(const std::string& document, std::uint64_t idle_ms,
                                                   std::uint64_t lifetime_ms);

// The identifier in the first line that `start` prints. Absent: incomplete, or something else.
[[nodiscard]] std::optional<std::string> ReadWslIdentifier(std::string_view text);

// An exec request. A command without a directory and an environment gets those of provision; its environment
// is added to that of provision, or replaces it if `exact`.
struct WslCommand {
  std::vector<std::string> argv = {};  // or:
  std::string command_line = {};
  std::string cwd = {};  // in the distribution
  std::vector<Variable> environment = {};
  bool exact = false;
  std::uint32_t timeout_ms = 0;  // 0: none
};
[[nodiscard]] std::string WslExecDocument(const std::string& inside, const WslCommand& command);

}  // namespace mxc
