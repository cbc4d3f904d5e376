#include "cleanup/config_record.h"
#include "cleanup/put_back_record.h"
#include "cleanup/recover.h"

namespace mxc {

Recovery RecoverRuns() {
  Recovery recovery{.what = "configurations of git's"};
  JudgeLeftRecords({ConfigRecord::Kind(), PutBackRecord::Kind()}, recovery);
  return recovery;
}

}  // namespace mxc
