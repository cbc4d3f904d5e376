// The commands in a shell's command line, as far as its text shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

// Words without their quotes; `$X` and patterns stay as written.
using ShellCommand = std::vector<std::string>;

// Split at `;`, `&`, `|`, line ends, parentheses and reserved words; those in $(...) and `...` as well. A
// redirection stands as the word ">" or "<" and its file's. What is nested too deeply is the last word of an
// `eval`. What is quoted stays one word.
[[nodiscard]] std::vector<ShellCommand> ShellCommandsIn(std::string_view line);

}  // namespace mxc
