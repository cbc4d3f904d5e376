#include "base/process_tree.h"

namespace mxc {

bool DieWith(pid_t /*parent*/) { return true; }

}  // namespace mxc
