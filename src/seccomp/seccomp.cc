#include "seccomp/seccomp.h"

#include <linux/filter.h>

namespace mxc {
namespace {

// kDefaultProgram, kRootCallerProgram, kSharedSystemProgram, kNoSocketsProgram: arrays of sock_filter.
#include "seccomp_programs.inc"

}  // namespace

std::span<const std::byte> SeccompProgram(SeccompProfile profile) {
  switch (profile) {
    case SeccompProfile::kDefault:
      return std::as_bytes(std::span{kDefaultProgram});
    case SeccompProfile::kRootCaller:
      return std::as_bytes(std::span{kRootCallerProgram});
    case SeccompProfile::kSharedSystem:
      return std::as_bytes(std::span{kSharedSystemProgram});
    case SeccompProfile::kNoSockets:
      return std::as_bytes(std::span{kNoSocketsProgram});
  }
  return std::as_bytes(std::span{kRootCallerProgram});
}

}  // namespace mxc
