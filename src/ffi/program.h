// Which mxc-exec serves this library.
#pragma once

#include <string>

#include "ffi/text.h"

namespace mxc::ffi {

// Beside the library, in the folder bin beside the library's or beside the folder lib that this is in,
// MXC_EXEC, PATH: the first that is there, by its path without links. Fails where others than root and the
// caller could write to it or put something in its place, where MXC_EXEC is no absolute path, and where there
// is none.
[[nodiscard]] Failure FindProgram(std::string& path);

}  // namespace mxc::ffi
