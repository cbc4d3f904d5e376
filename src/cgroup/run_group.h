// A control group of a run, under the name that it has on this host.
#pragma once

#include <string>

#include "mxc/plan.h"

namespace mxc {

// A control group that was made for a run or for a persistent sandbox.
struct RunGroup {
  ControlGroup plan = {};
  std::string directory = {};  // "PARENT/mxc-0123456789abcdef"
  std::string scope = {};      // "PARENT/mxc-0123456789abcdef.scope", if the group is inside a scope
  [[nodiscard]] const std::string& ParentDirectory() const { return scope.empty() ? plan.parent : scope; }
  // Where the processes are. In version 2 a child of `directory`: as long as `directory` has a controller
  // enabled for its child, the kernel refuses to disable it in the parent, which would lift the limit.
  [[nodiscard]] std::string ProcessDirectory() const { return plan.unified ? directory + "/run" : directory; }
};

}  // namespace mxc
