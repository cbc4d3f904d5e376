#include "access/host_preparation.h"

namespace mxc {

Result<PreparationReply> PrepareHost(const PreparationOrder& /*order*/) {
  return Error{.code = ErrorCode::kUnsupported,
               .message = "AppContainers, which this prepares a machine for, belong to Windows",
               .hint = "--probe lists what this host can use"};
}

std::vector<std::string> MissingPreparations() { return {}; }

}  // namespace mxc
