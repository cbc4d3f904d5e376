#include "cleanup/recover.h"

namespace mxc {

// A cleanup process takes back what its run has made, as soon as the run is gone.
Recovery RecoverRuns(bool /*asked*/, const std::function<bool(const std::string&)>& /*tell*/) { return {}; }

}  // namespace mxc
