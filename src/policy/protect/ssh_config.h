// What a configuration of ssh includes.
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

}  // namespace mxc
