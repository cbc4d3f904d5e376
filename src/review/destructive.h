// Commands that destroy what nobody can bring back, recognised by their text. Outside of the boundary: a
// program can do the same without saying so, and nothing of the policy depends on it.
#pragma once

#include <string>
#include <vector>

#include "mxc/policy.h"

namespace mxc {

struct ReviewedCommand {
  std::vector<std::string> argv = {};
  std::string line = {};  // of a shell; empty: argv is executed
  std::string cwd = {};   // inside
  std::vector<Variable> variables = {};
  std::vector<std::string> roots = {};  // what may be written, by the paths inside
};

struct Destruction {
  std::string command = {};  // its words
  std::string what = {};     // "rewrites what others have fetched"
  std::string source = {};   // where its program says so: "git-push(1)"

  friend bool operator==(const Destruction&, const Destruction&) = default;
};

// In order, at most one for each command of the line.
[[nodiscard]] std::vector<Destruction> FindDestruction(const ReviewedCommand& command);

}  // namespace mxc
