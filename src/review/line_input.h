// What a command gets from the line that it stands in: through pipes, here-documents, and names.
#pragma once

#include <cstddef>
#include <vector>

#include "review/command_words.h"
#include "review/expansion.h"
#include "review/roots.h"
#include "review/shell_words.h"

namespace mxc {

// Whether operands of which nothing is known are names that are read or found.
enum class Names { kNone, kRead };

struct LinePlace {
  Names names = Names::kNone;
  const std::vector<ShellCommand>* line = nullptr;  // where the command stands
  std::size_t at = 0;
};

// A here-document that goes into a file which nothing of the line runs.
[[nodiscard]] bool IsKept(const std::vector<ShellCommand>& commands, std::size_t at);

// What xargs and `find -exec` get: of `find` and `echo` the text says it, else nothing does.
Names PutNames(Words& words, const LinePlace& place, const Expansion& expansion, const Roots& roots);

}  // namespace mxc
