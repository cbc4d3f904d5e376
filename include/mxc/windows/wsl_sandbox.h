// A sandbox that stays in a distribution of WSL: what the mxc-exec on Windows says to the one inside.
//
//   --dry-run            of a request of provision with the document
//   start --foreground   with the document; it prints the identifier that the sandbox has there
//   a request of exec    with that identifier
//   stop ID
//
// The second one is the sandbox's keeper: the sandbox ends with it, and it with the sandbox.
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
  WslRun run = {};          // the document of provision
  std::string inside = {};  // identifier in the distribution; empty: not known, or there is none
};

// `document` as a request of provision. Errors: kSetupFailed.
[[nodiscard]] Result<std::string> WslProvisionDocument(const std::string& document);
// `document` with how long the sandbox stays, in milliseconds; 0: for ever. Errors: kSetupFailed.
[[nodiscard]] Result<std::string> WslStartDocument(const std::string& document, std::uint64_t idle_ms,
                                                   std::uint64_t lifetime_ms);

// What `start` prints, up to its end of line. Nothing: not all of it, or something else.
[[nodiscard]] std::optional<std::string> ReadWslIdentifier(std::string_view text);

// A request of exec. Without a directory and an environment of its own the command has those of provision;
// what it has is laid over that environment, unless it is `exact`.
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
