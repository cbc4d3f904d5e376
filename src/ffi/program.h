// Which mxc-exec serves this library.
#pragma once

#include <string>

#include "ffi/text.h"

namespace mxc::ffi {

// Beside the library, in the folder bin beside the library's, MXC_EXEC, PATH: the first that is there. Fails
// where it belongs neither to root nor to the caller, or others may write to it, and where there is none.
[[nodiscard]] Failure FindProgram(std::string& path);

}  // namespace mxc::ffi
