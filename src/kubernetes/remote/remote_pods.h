// The table of the containment `kubernetes`.
#pragma once

#include "remote/remote.h"

namespace mxc::kubernetes {

[[nodiscard]] const Remote* RemotePods();  // null on systems whose builds do not start kubectl

}  // namespace mxc::kubernetes
