// A command line whose shell would do nothing but execute a program, known before anything starts: for an
// engine that has no second try. docs/adr/0012-plain-commands-without-a-shell.md
// Worth 9 % of a launch with bubblewrap or more. Measured by tests/bench/paired.py against a program where this
// returns {}.
//
//   WithoutShell({.host = host, .walker = walker, .rules = rules, .links = policy.links}, policy.process)
//   // {"npm", "test"}, when the npm that the sandbox's PATH leads to starts inside for certain
#pragma once

#include <string>
#include <vector>

#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// What a look from here tells of the files inside. All borrowed.
struct Inside {
  const Host& host;
  PathWalker& walker;                  // of the host's files, which the rules show under their own names
  const RuleSet& rules;                // complete
  const std::vector<PathLink>& links;  // the same
};

// The words of the command line; none when it is not certain that the shell would just execute them: then the
// shell runs it, and says what it says.
[[nodiscard]] std::vector<std::string> WithoutShell(const Inside& inside, const Process& process);

}  // namespace mxc
