// How far arithmetic, subscripts and the names of parameters go in the text of a shell.
#pragma once

#include <cstddef>
#include <string_view>

#include "review/shell_words.h"

namespace mxc {

// `text` begins behind an opening byte: up to and with the one that closes it, outside of quotes; 0: none
// does.
[[nodiscard]] std::size_t LengthToClosing(std::string_view text, char opens, char closes);
// Of the "((...))" that the text begins with; 0: it is none, but a subshell in a subshell.
[[nodiscard]] std::size_t ArithmeticLength(std::string_view text);
// Of "((...))" behind a "$"; 0: the shell executes it as "$( (...) )".
[[nodiscard]] std::size_t ArithmeticExpansionLength(std::string_view text, const ShellReading& reading);
// Whether "${" and `inner` have a pattern: "x#...", "x%...", "x/...", "x^...", "x,..."
[[nodiscard]] bool IsPatternBehindName(std::string_view inner);

}  // namespace mxc
