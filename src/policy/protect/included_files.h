// Files that configurations of other programs include.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

// Absolute paths and patterns of the `Include` lines in `file`, and in the files that these name, up to
// kMaxGitConfigFiles. `base`: the directory of relative paths. `home`: the expansion of "~".
[[nodiscard]] std::vector<std::string> IncludedBySsh(const std::string& file, const std::string& base,
                                                     const std::string& home, PathWalker& walker,
                                                     const Host& host);

struct Sourced {
  std::string path = {};
  bool pattern = false;
};

// Absolute paths and patterns that `file`, a start-up file of a shell, sources, and those that they source in
// turn, if they are in `home`. The matches of a pattern follow it. Expansions count as far as the text gives
// their value; others are left out.
[[nodiscard]] std::vector<Sourced> SourcedByShell(const std::string& file, const std::string& home,
                                                  PathWalker& walker, const Host& host);

}  // namespace mxc
