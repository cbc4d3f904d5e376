// Files in a git directory that git runs something of, and that cannot be held, for git writes them in daily
// work: what an operation that has not ended is to do next, where a line `exec` is a command and a strategy
// of merging a program, and a number that a shell's prompt shows may be a command to the shell; and remotes
// of the old form, whose address may name a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"

namespace mxc {

struct GitInstruction {
  std::string whole = {};                // what git takes for the operation: a directory, most often
  std::string path = {};                 // the file in it, or `whole`
  std::uint64_t stamp = 0;               // of the whole: when it got there, where the disk tells
  std::optional<std::string> text = {};  // none: not a file with a single name, or one that cannot be read
};

// Those in `git_directory`, which is canonical, that are not known to run nothing.
[[nodiscard]] std::vector<GitInstruction> FindInstructions(const std::string& git_directory,
                                                           const Host& host);

// For a file of an operation, by its name: no table knows it, or it names more than git's own.
[[nodiscard]] bool MayExecute(std::string_view name, std::string_view text);

}  // namespace mxc
