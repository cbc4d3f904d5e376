// The commands in a shell's command line, as far as its text shows them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mxc {

enum class ShellJoint {
  kThen,  // ";", "&", the end of a line
  kAnd,
  kOr,
  kPipe,
};

struct ShellCommand {
  // Without their quotes; `$X`, `$(...)`, `<(...)` and patterns stay as written.
  std::vector<std::string> words = {};
  ShellJoint joint = ShellJoint::kThen;  // with the command before
  std::vector<int> subshells = {};       // in which it runs, the outermost first
  std::string input = {};                // its here-documents
};

// Split at `;`, `&`, `|`, line ends, parentheses and reserved words; those in $(...), `...`, <(...) and
// >(...) come as well, before the command that they are in. A redirection stands as the word ">", "<" or
// "<<<" and its file's. What is nested too deeply is the last word of an `eval`. What is quoted stays one
// word.
[[nodiscard]] std::vector<ShellCommand> ShellCommandsIn(std::string_view line);

}  // namespace mxc
