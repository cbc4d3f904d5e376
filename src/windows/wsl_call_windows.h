// Calls of wsl.exe: a program in a distribution, by whoever runs a command there or keeps a sandbox.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/secret.h"
#include "mxc/windows/wsl_run.h"

namespace mxc {

// The environment variable in which a document crosses into the distribution.
inline constexpr const char* kWslConfigVariable = "MXC_CONFIG";

// Of Windows; wsl.exe is in it.
[[nodiscard]] std::string SystemDirectory();
// The line that runs `argv` in the distribution of `run`.
[[nodiscard]] std::vector<std::string> InWsl(const WslRun& run, const std::vector<std::string>& argv);
// The environment of a wsl.exe that hands the document `config` in. Errors: kSetupFailed: it is too long.
[[nodiscard]] Result<std::vector<Variable>> WslEnvironment(std::string config);

// Starts the distribution, and takes down what wsl.exe says when it cannot: program and drives are where a
// run needs them. Errors: kUnavailable.
[[nodiscard]] Status CheckInWsl(const WslRun& run);
// Asks WSL, and starts no distribution. What does not answer may run.
[[nodiscard]] bool DistributionRuns(const std::string& distribution);

}  // namespace mxc
