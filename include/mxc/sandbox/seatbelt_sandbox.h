// A macOS sandbox as data: a profile in Seatbelt's language, and the values of its parameters.
// backends/seatbelt makes it; src/macos applies it to a new process and runs the command there.
#pragma once

#include <string>
#include <vector>

#include "mxc/file_object.h"
#include "mxc/sandbox/linux_sandbox.h"
#include "mxc/secret.h"

namespace mxc {

// `(param "NAME")` of the profile. Paths are passed as parameters, so that nothing in them is read as a rule.
struct SeatbeltParameter {
  std::string name = {};
  std::string value = {};
};

// A path of a rule, checked again right before the start: if it names another object, or if the file system
// spells it in another case, the rule would have no effect.
struct SeatbeltPath {
  std::string path = {};
  FileObject object = {};
};

struct SeatbeltSandbox {
  std::string profile = {};
  std::vector<SeatbeltParameter> parameters = {};
  std::vector<SeatbeltPath> verified = {};
  // A directory of the run's own, mode 0700: the parameter TEMP. Paths below /tmp in the environment are
  // changed to it, and it is removed at the end.
  bool private_temp = true;
  // Two random service names, the parameters MARK and NO_MARK: a process that may look up the first and not
  // the second is in this sandbox, whatever its parent or group. All such processes are ended with the run.
  bool marked = true;
  bool new_session = true;  // false: it gets a private terminal as controlling terminal
  ProcessLimits limits = {};

  std::vector<std::string> argv = {};
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

}  // namespace mxc
