// A process beside the launcher that does what the launcher cannot do once it has been killed: it ends the
// processes of the run and removes its temporary directory.
#pragma once

#include <string>

#include "base/unique_fd.h"
#include "macos/seatbelt.h"
#include "mxc/error.h"

namespace mxc {

class Watcher {
 public:
  // Before anything else is started, and only from a process with one thread. Errors: kSetupFailed.
  [[nodiscard]] static Result<Watcher> Start(const Mark& mark, const std::string& temp);
  // The launcher has done it all itself.
  void Dismiss();

 private:
  UniqueFd line_ = {};  // closes when the launcher ends, however it does
  int process_ = -1;
};

}  // namespace mxc
