// Operations of git that were begun and have not ended: a rebase, a patch series, picked commits. What comes
// next stands in files, and some of these have git run something: a line `exec`, a strategy of merging, which
// is a program.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"

namespace mxc {

struct UnfinishedFile {
  std::string state = {};                // what git takes for the operation: a directory, most often
  std::string path = {};                 // the file in it, or `state`
  std::optional<std::string> text = {};  // none: not a file with a single name, or one that cannot be read
};

// What of the operations in `git_directory`, which is canonical, is not known to run nothing.
[[nodiscard]] std::vector<UnfinishedFile> FindUnfinished(const std::string& git_directory, const Host& host);

// The same for one file by its name: no table knows it, or it names more than git's own.
[[nodiscard]] bool MayExecute(std::string_view name, std::string_view text);

}  // namespace mxc
