// What configurations of other programs include.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"
#include "policy/paths/paths.h"

namespace mxc {

// Absolute paths and patterns of the `Include` lines in `file`, and in what these name, as far as
// kMaxGitConfigFiles reaches. `base`: the directory that relative ones count from. `home`: what "~" stands
// for.
[[nodiscard]] std::vector<std::string> IncludedBySsh(const std::string& file, const std::string& base,
                                                     const std::string& home, PathWalker& walker,
                                                     const Host& host);

struct Sourced {
  std::string path = {};
  bool pattern = false;
};

// Absolute paths and patterns that `file`, a start-up file of a shell, sources, and those that it sources in
// turn, where they are in `home`. What a pattern matches follows it. Of expansions what the text says; what
// it does not is left out.
[[nodiscard]] std::vector<Sourced> SourcedByShell(const std::string& file, const std::string& home,
                                                  PathWalker& walker, const Host& host);

}  // namespace mxc
