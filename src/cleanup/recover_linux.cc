#include "cleanup/config_record.h"
#include "cleanup/recover.h"

namespace mxc {

Recovery RecoverRuns() { return RestoreByRecords(); }

}  // namespace mxc
