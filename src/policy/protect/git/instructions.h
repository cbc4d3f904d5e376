// Files in a git directory that can make git execute something, but that cannot be held, because git writes
// them in daily work: the next steps of an unfinished operation, in which a line `exec` is a command, a merge
// strategy is a program, and a number in a shell's prompt may be a command; and remotes of the old form,
// whose address may name a program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"

namespace mxc {

struct GitInstruction {
  std::string whole = {};                // the operation to git, usually a directory
  std::string path = {};                 // the file in it, or `whole`
  std::uint64_t stamp = 0;               // of `whole`: time of the last change, if the file system reports it
  std::optional<std::string> text = {};  // absent: not a file with a single name, or not readable
};

// The files in `git_directory`, which is canonical, that are not known to be harmless.
[[nodiscard]] std::vector<GitInstruction> FindInstructions(const std::string& git_directory,
                                                           const Host& host);

// For a file of an operation: whether its name is in no table, or it names more than git's own.
[[nodiscard]] bool MayExecute(std::string_view name, std::string_view text);

}  // namespace mxc
