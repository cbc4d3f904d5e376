// The commands in a shell's command line, as far as its text shows them.
#pragma once

#include <cstddef>
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
  // Without their quotes; `$X`, `$(...)`, `<(...)` and patterns stay as written, a quoted "$" is
  // kLiteralDollar.
  std::vector<std::string> words = {};
  std::vector<bool> splits = {};         // of each word: an expansion stands in it outside of quotes
  ShellJoint joint = ShellJoint::kThen;  // with the command before
  std::vector<int> subshells = {};       // in which it runs, the outermost first
  std::string input = {};                // its here-documents
  bool substituted = false;              // in $(...), `...`, <(...) or >(...)
  bool in_function = false;              // its parameters are those of a call
};

struct ShellLine {
  std::vector<ShellCommand> commands = {};
  bool closed = true;     // so are its quotes, parentheses and here-documents
  bool too_deep = false;  // nested deeper than it was read
};

// Split at `;`, `&`, `|`, line ends, parentheses and reserved words; those in $(...), `...`, <(...) and
// >(...) come as well, before the command that they are in. A redirection stands as the word ">", "<" or
// "<<<" and its file's, "a=(b c)" as "a=b" and "a=c", and behind the commands of a function "function", its
// name and its text. What is quoted stays one word.
[[nodiscard]] ShellLine ReadShellLine(std::string_view line);

// Of the "(...)" that the text begins with, with its parentheses.
[[nodiscard]] std::size_t SubstitutionLength(std::string_view text);

}  // namespace mxc
