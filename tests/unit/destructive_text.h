// Commands as text in, what destroys out.
#pragma once

#include <string>

#include "review/destructive.h"

namespace mxc {

inline std::string FoundBy(ReviewedCommand command) {
  command.cwd = "/work/app/sub";
  command.variables = {{.name = "HOME", .value = Secret{"/home/me"}}};
  command.roots = {"/work/app"};
  std::string text;
  for (const Destruction& found : FindDestruction(command)) text += found.source + "; ";
  return text.empty() ? "-" : text.substr(0, text.size() - 2);
}
inline std::string FoundIn(const std::string& line) {
  return FoundBy({.argv = {"/bin/sh", "-c", line}, .line = line});
}
// In the directory that may be written.
inline std::string FoundAtRoot(const std::string& line) { return FoundIn("cd .. && " + line); }

}  // namespace mxc
