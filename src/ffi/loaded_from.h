// Where this library was loaded from.
#pragma once

#include <string>

namespace mxc::ffi {

// Its folder, as the kernel names it; told when the library is loaded, so that neither the directory of the
// process nor the name it was loaded by matters. Empty: nothing stands there that is this library.
[[nodiscard]] const std::string& FolderOfLibrary();

}  // namespace mxc::ffi
