// The commands in a shell's command line, as far as its text shows them.
#pragma once

#include <cstddef>
#include <span>
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

  friend bool operator==(const ShellCommand&, const ShellCommand&) = default;
};

struct ShellLine {
  std::vector<ShellCommand> commands = {};
  bool closed = true;     // so are its quotes, parentheses and here-documents
  bool too_deep = false;  // nested deeper than it was read
};

// Where "'" quotes in "${x...}", inside of double quotes.
enum class QuotesInBraces {
  kNever,
  kInPatterns,  // "${x#'}'}", not "${x:-'}'}"
  kAlways,
};

// How a shell reads what others read differently.
struct ShellReading {
  bool arithmetic_commands = true;  // "((...))"; elsewhere it is a subshell in a subshell
  bool dollar_quotes = true;        // $'...' and $"..."
  // "[[ ]]", `function`, "&>", "{x}>" and "a[...]=": elsewhere words, and "&" ends a command.
  bool extended = true;
  QuotesInBraces quotes_in_braces = QuotesInBraces::kAlways;
};
// bash first; that of a `sh` is not known before it runs.
[[nodiscard]] std::span<const ShellReading> ShellReadings();

// Split at `;`, `&`, `|`, line ends, parentheses and reserved words; those in $(...), `...`, <(...) and
// >(...) come as well, before the command that they are in. A redirection stands as the word ">", "<" or
// "<<<" and its file's, "a=(b c)" as "a=b" and "a=c", and behind the commands of a function "function", its
// name and its text. What is quoted stays one word.
[[nodiscard]] ShellLine ReadShellLine(std::string_view line, const ShellReading& reading = {});
// Of a text in which substitutions alone are executed: a here-document, a prompt.
[[nodiscard]] ShellLine ReadSubstitutions(std::string_view text, const ShellReading& reading = {});

// Of the "(...)" that the text begins with, with its parentheses.
[[nodiscard]] std::size_t SubstitutionLength(std::string_view text);

}  // namespace mxc
