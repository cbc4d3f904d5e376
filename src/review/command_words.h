// The words of a command: its program, its verbs and its flags.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/lists.h"
#include "base/path.h"

namespace mxc {

using Words = std::vector<std::string>;

// One of "-f|--force|-X=DELETE", or what abbreviates it. "-rf" has "-f" in it, "--prune=now" is "--prune",
// and
// "-sX delete" is "-X=DELETE".
[[nodiscard]] bool HasFlag(const Words& words, std::string_view flags);
// The verbs of "volume rm|prune" follow in this order; others may stand between them.
[[nodiscard]] bool HasVerbs(const Words& words, std::string_view verbs);

[[nodiscard]] std::string Line(const Words& words);
// Split at blanks.
[[nodiscard]] Words SplitAtBlanks(std::string_view text);
// Of the name of a variable that the text begins with.
[[nodiscard]] std::size_t NameLength(std::string_view text);
// "X" of "X=1" and "X+=1"; empty: no assignment.
[[nodiscard]] std::string_view AssignedName(std::string_view word);
// Stands in an expanded word for what is not known before it runs.
inline constexpr char kUnknownText = '$';
// Nothing of it is known.
[[nodiscard]] bool IsUnknown(std::string_view value);
// Stands in the words of a shell's command for a "$" that it does not expand: quoted by "'" or a backslash.
// No argument and no line has a NUL.
inline constexpr char kLiteralDollar = '\0';
// As the program gets it.
[[nodiscard]] std::string WithDollars(std::string text);
// For people.
[[nodiscard]] std::string Shown(const Words& words);

// "git -C x $Y push" is {"git", "push"}, with the values of its -c at the end.
[[nodiscard]] Words WithSubcommandFirst(Words words);
// A shell takes them anywhere, the next word is the file. Returned is what is read, as far as it stands
// there: of here-strings, and "<(...)".
[[nodiscard]] Words TakeRedirections(Words& words);

}  // namespace mxc
