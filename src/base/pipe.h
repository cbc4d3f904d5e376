// A pipe whose ends are born close-on-exec.
#pragma once

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

struct Pipe {
  UniqueFd reading = {};
  UniqueFd writing = {};
};

// Errors: kSetupFailed.
[[nodiscard]] Result<Pipe> MakePipe();

}  // namespace mxc
