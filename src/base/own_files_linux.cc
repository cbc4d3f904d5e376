#include <unistd.h>

#include "base/own_files.h"

namespace mxc {

bool FlushToDisk(int borrowed_fd) { return ::fdatasync(borrowed_fd) == 0; }

}  // namespace mxc
