#include "access/host_preparation.h"

namespace mxc {

Result<PreparationReply> PrepareHost(const PreparationOrder& /*order*/) {
  return Unsupported("AppContainers, which this prepares a machine for, belong to Windows", {},
                     "--probe lists what this host can use");
}

std::vector<std::string> MissingPreparations() { return {}; }

}  // namespace mxc
