// Other programs' policies as configurations of ours.
#pragma once

#include <string>
#include <vector>

#include "document/source.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

struct Import {
  std::string text = {};                   // a configuration without a command
  std::vector<std::string> warnings = {};  // what it does not say
};

// Settings of srt, of Claude Code (`sandbox` and the rules of permissions), and Codex's config.toml, known by
// their shape. `directory`: what ${PWD} stands for, where paths are compared. What cannot be expressed is
// left out with a warning, unless it denies something: kUnsupported. Other errors: kMalformed, kSchema.
[[nodiscard]] Result<Import> ImportSettings(const Source& source, const std::string& directory,
                                            const Host& host);

}  // namespace mxc
