// The words of find(1).
#pragma once

#include "review/command_words.h"
#include "review/roots.h"

namespace mxc {

[[nodiscard]] bool FindDeletes(const Words& words);
// A root is among where it starts, and no name leaves most files out before it acts.
[[nodiscard]] bool FindsRoots(const Words& words, const Roots& roots);

}  // namespace mxc
