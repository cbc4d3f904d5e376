#include <algorithm>
#include <string>
#include <utility>

#include "mxc/backend.h"

namespace mxc {

Support Unusable(ErrorCode code, std::string reason, std::string remedy) {
  return {.code = code, .reason = std::move(reason), .remedy = std::move(remedy)};
}

Support OfAnotherSystem(Containment containment, OperatingSystem here) {
  return Unusable(ErrorCode::kUnsupported,
                  "the '" + std::string(Name(containment)) + "' backend belongs to " +
                      std::string(Name(TraitsOf(containment).home)) + ", this is " + std::string(Name(here)),
                  "use \"process\", the isolation of this system");
}

bool Support::Has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

}  // namespace mxc
