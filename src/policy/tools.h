// The caller's toolchains, for `tools: "inherit"`: what its PATH names, read-only, with as much of each
// installation as it needs to work. A table says which directories make up an installation, so that no home
// directory, project or secret is shown; no file that a command could have written decides what is shown.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "mxc/host.h"
#include "mxc/secret.h"
#include "policy/paths/entries.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

struct Tools {
  std::vector<PathEntry> entries = {};              // to be granted, as readonlyPaths are
  std::map<std::string, std::string> reasons = {};  // by path: what asked for it
  std::vector<std::string> not_tools = {};          // below `entries`, but unrelated to tools
  std::vector<std::string> search = {};             // for PATH, in the caller's order
  std::vector<Variable> variables = {};             // that make them work
};

// `granted` are the rules of the policy alone; what they deny stays denied. `pointer` is that of the clause.
[[nodiscard]] Tools FindTools(const Host& host, const std::string& pointer, const RuleSet& granted,
                              PathWalker& walker);

// Removes the directories that a ceiling hides from the search path, and returns them.
[[nodiscard]] std::vector<std::string> TakeHidden(const RuleSet& rules, PathWalker& walker, Tools& tools);

}  // namespace mxc
