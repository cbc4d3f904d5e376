#include "cleanup/config_record.h"
#include "cleanup/recover.h"

namespace mxc {

Recovery RecoverRuns() { return {.restored = RestoreByRecords(), .what = "configurations of git's"}; }

}  // namespace mxc
