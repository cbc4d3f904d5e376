// A macOS sandbox as data: a profile in Seatbelt's language, and the values of its parameters.
// backends/seatbelt writes it, src/macos applies it to a process of its own and runs the command there.
#pragma once

#include <string>
#include <vector>

#include "mxc/file_object.h"
#include "mxc/sandbox/linux_sandbox.h"
#include "mxc/secret.h"

namespace mxc {

// `(param "NAME")` of the profile. Paths travel here and not in the text: nothing in them is ever read as a
// rule.
struct SeatbeltParameter {
  std::string name = {};
  std::string value = {};
};

// What a rule names, looked at again right before the start: a name that stands for something else, or that
// the file system writes otherwise (upper and lower case), would leave the rule without effect.
struct SeatbeltPath {
  std::string path = {};
  FileObject object = {};
};

struct SeatbeltSandbox {
  std::string profile = {};
  std::vector<SeatbeltParameter> parameters = {};
  std::vector<SeatbeltPath> verified = {};
  // A directory of the run's own, mode 0700: the parameter TEMP. What the environment says below /tmp says
  // that, and it is removed at the end.
  bool private_temp = true;
  // Two made-up service names, the parameters MARK and NO_MARK: a process that may look up the first and not
  // the second is in this sandbox, wherever it has moved to. Everything so marked is ended with the run.
  bool marked = true;
  bool new_session = true;  // false: the launcher gives it a private terminal as controlling terminal
  ProcessLimits limits = {};

  std::vector<std::string> argv = {};
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

}  // namespace mxc
