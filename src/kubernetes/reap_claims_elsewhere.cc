#include "kubernetes/reap_claims.h"

namespace mxc::kubernetes {

Result<std::vector<std::string>> ReapClaims(const PodRun& /*run*/) {
  return Error{.code = ErrorCode::kUnsupported, .message = "claims are made on Linux, and reaped there"};
}

}  // namespace mxc::kubernetes
