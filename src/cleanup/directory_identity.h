// Which directory a path led to, so that another one that gets its name later is not taken for it.
#pragma once

#include <string>

namespace mxc {

// Device, inode and, where the file system tells it, the time of birth: the number of a directory that was
// removed is given again. "": not known.
[[nodiscard]] std::string IdentityOf(int borrowed_directory);

}  // namespace mxc
