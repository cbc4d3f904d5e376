// Recognises, before anything starts, a command line whose shell would only execute a program: for an engine
// that cannot fall back to the shell. docs/adr/0012-plain-commands-without-a-shell.md Saves at least 9 % of a
// launch with bubblewrap. Measured by tests/bench/paired.py against a program where this returns {}.
//
//   WithoutShell({.host = host, .walker = walker, .rules = rules, .links = policy.links}, policy.process)
//   // {"npm", "test"}, if the npm of the PATH inside certainly starts there
#pragma once

#include <string>
#include <vector>

#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// What the launcher knows of the files inside. All borrowed.
struct Inside {
  const Host& host;
  PathWalker& walker;                  // of the host's files, which the rules show under their own names
  const RuleSet& rules;                // complete
  const std::vector<PathLink>& links;  // the same
};

// The words of the command line; none if it is not certain that the shell would only execute them: then the
// shell runs it, with its own messages.
[[nodiscard]] std::vector<std::string> WithoutShell(const Inside& inside, const Process& process);

}  // namespace mxc
