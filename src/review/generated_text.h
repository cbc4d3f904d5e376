// Text that a shell is given by a substitution: `eval "$(...)"`, `sh -c "$(...)"`, `source <(...)`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "review/command_words.h"
#include "review/expansion.h"
#include "review/shell_words.h"

namespace mxc {

// "$(...)", and nothing behind it
[[nodiscard]] bool IsCommandSubstitution(std::string_view word);
// "<(...)" or ">(...)"
[[nodiscard]] bool IsProcessSubstitution(std::string_view word);

// Which word a shell reads: a file, or behind `-c` a line. The words' size: none.
struct ShellOperand {
  std::size_t at = 0;
  bool is_line = false;
};
[[nodiscard]] ShellOperand OperandOfShell(const Words& words);

// The substitutions, without their brackets, whose output is run as the text of a shell. The words begin with
// the shell, `eval` or `source`; `read` is what is redirected into it.
[[nodiscard]] std::vector<std::string> SubstitutionsRun(const Words& words, const Words& read);

// What the command prints, if its text says all of it.
[[nodiscard]] std::optional<std::string> PrintedBy(const ShellCommand& command, const Expansion& expansion);
// What all of the line prints.
[[nodiscard]] std::optional<std::string> PrintedByLine(std::string_view line, const Expansion& expansion);

// The line is one program that prints settings of its own for a shell: `ssh-agent -s`.
[[nodiscard]] bool PrintsSettings(std::string_view line);

}  // namespace mxc
