// The words of a command: its program, its verbs and its flags.
#pragma once

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
// For people.
[[nodiscard]] std::string Shown(const Words& words);

// "git -C x push" is {"git", "push"}, with the values of its -c at the end.
[[nodiscard]] Words WithSubcommandFirst(Words words);
// A shell takes them anywhere, the next word is the file. Returned is what is read, as far as it stands
// there: of here-strings, and "<(...)".
[[nodiscard]] Words TakeRedirections(Words& words);

}  // namespace mxc
