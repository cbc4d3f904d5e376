#include "images/images.h"

namespace mxc {

Result<std::string> UnpackImage(const Host& /*host*/, const std::string& /*archive*/,
                                const std::string& /*cache*/) {
  return Unsupported("images belong to Linux");
}

}  // namespace mxc
