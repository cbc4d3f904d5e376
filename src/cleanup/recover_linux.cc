#include "cleanup/config_record.h"
#include "cleanup/put_back_record.h"
#include "cleanup/recover.h"

namespace mxc {

Recovery RecoverRuns() {
  Recovery recovery{.what = "configurations of git's"};
  RestoreConfigsByRecords(recovery);
  PutBackByRecords(recovery);
  return recovery;
}

}  // namespace mxc
