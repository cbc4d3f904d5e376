// Which directory a path led to, so that another one that gets its name later is not taken for it.
#pragma once

#include <string>

namespace mxc {

// For a record: device, inode and, where the file system tells it, the time of birth: the number of a
// directory that was removed is given again. "": not known. In a lower layer of an overlay the first change
// below a directory copies it into the upper one, which gives it another time of birth: here the copy is made
// first, and where that fails, the time is left out. An overlay has another device with each mount: where the
// time is told, that is left out.
[[nodiscard]] std::string IdentityOf(int borrowed_directory);
[[nodiscard]] bool HasIdentity(int borrowed_directory, const std::string& identity);

}  // namespace mxc
