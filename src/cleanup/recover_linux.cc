#include "cleanup/config_record.h"
#include "cleanup/put_back_record.h"
#include "cleanup/recover.h"

namespace mxc {

Recovery RecoverRuns(bool asked, const ReportRecovery& report) {
  Recovery recovery{.what = "configurations of git's", .asked = asked, .report = report};
  JudgeLeftRecords({ConfigRecord::Kind(), PutBackRecord::Kind()}, recovery);
  return recovery;
}

}  // namespace mxc
