// The Host of the machine the program runs on.
#pragma once

#include <memory>

#include "mxc/host.h"

namespace mxc {

[[nodiscard]] std::unique_ptr<Host> ThisHost();

}  // namespace mxc
