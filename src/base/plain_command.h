// A command line that a shell would only split at its blanks and execute.
//
//   PlainCommand("npm  test", environment)      // {"npm", "test"}
//   PlainCommand("npm test && true", environment)  // {}: the shell's
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/policy.h"

namespace mxc {

// Its words; none when the line has anything that a shell may read differently (quotes, expansions,
// operators, assignments, builtins), or when the shell would change what it hands on of `environment`.
[[nodiscard]] std::vector<std::string> PlainCommand(std::string_view line,
                                                    const std::vector<Variable>& environment);

// The program that a shell starts first for the line, whatever stands behind it; "" when that is none that it
// looks up on PATH, or not to be told without being a shell.
//
//   FirstProgram("npm test && true", environment)  // "npm"
[[nodiscard]] std::string FirstProgram(std::string_view line, const std::vector<Variable>& environment);

}  // namespace mxc
