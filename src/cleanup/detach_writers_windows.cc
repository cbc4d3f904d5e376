#include "cleanup/detach_writers.h"

namespace mxc {

// Nothing is protected on Windows, so nothing is judged.
Result<bool> DetachWriters(const std::string& /*path*/, std::size_t /*limit*/) { return false; }

}  // namespace mxc
