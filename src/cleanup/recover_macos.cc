#include "cleanup/recover.h"

namespace mxc {

// A cleanup process takes back what its run has made, as soon as the run is gone.
Recovery RecoverRuns(bool /*asked*/, const ReportRecovery& /*report*/) { return {}; }

}  // namespace mxc
