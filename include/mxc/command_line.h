// Joins arguments into one command line, for the program that will split it again.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

enum class QuoteFor {
  kProgram,  // the rules of Microsoft's C runtime (CommandLineToArgvW)
  kCmd,      // the same, with cmd.exe in between
  kShell,    // sh
};

// `a b` becomes `"a b"`. No argument may contain a NUL. cmd.exe cannot quote a "%": callers that need one do
// not use cmd.exe.
[[nodiscard]] std::string QuoteArgument(std::string_view argument, QuoteFor reader);
[[nodiscard]] std::string JoinArguments(const std::vector<std::string>& arguments, QuoteFor reader);

}  // namespace mxc
