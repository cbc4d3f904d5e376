#include "hash/pinned_program.h"

namespace mxc {
namespace {

Error OnLinuxAlone() { return Unsupported("helpers are pinned on Linux alone"); }

}  // namespace

Result<PinnedProgram> OpenPinned(const std::string& path, const std::string& sha256) {
  if (!sha256.empty()) return OnLinuxAlone();
  return PinnedProgram{.executable = path};
}

Result<std::string> Sha256OfFile(const std::string& /*path*/) { return OnLinuxAlone(); }

}  // namespace mxc
