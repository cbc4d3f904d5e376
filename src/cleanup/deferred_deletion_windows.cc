#include "cleanup/deferred_deletion.h"

namespace mxc {
namespace {

// Nothing is protected on Windows, so nothing is compared.
Error NotHere() { return SetupFailed("not on Windows"); }

}  // namespace

Result<std::string> SetAside(const std::string& /*path*/, const std::string& /*into*/) { return NotHere(); }
Status MakeLink(const std::string& /*path*/, const std::string& /*text*/) { return NotHere(); }
Result<std::string> PutBack(const std::string& /*path*/, std::string_view /*text*/, unsigned /*mode*/) {
  return NotHere();
}
bool RestoreListing(const std::string& /*path*/) { return false; }

}  // namespace mxc
