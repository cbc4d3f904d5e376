// One command line out of many arguments, for the program that takes it apart again.
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

// `a b` becomes `"a b"`. No argument may hold a NUL. cmd.exe has no way to write a "%" that is never a
// variable: callers that must have one do not use cmd.exe.
[[nodiscard]] std::string QuoteArgument(std::string_view argument, QuoteFor reader);
[[nodiscard]] std::string JoinArguments(const std::vector<std::string>& arguments, QuoteFor reader);

}  // namespace mxc
