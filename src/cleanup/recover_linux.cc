#include "cleanup/config_record.h"
#include "cleanup/put_back_record.h"
#include "cleanup/recover.h"

namespace mxc {

Recovery RecoverRuns(bool asked, const std::function<bool(const std::string&)>& tell) {
  Recovery recovery{.what = "configurations of git's", .asked = asked, .tell = tell};
  JudgeLeftRecords({ConfigRecord::Kind(), PutBackRecord::Kind()}, recovery);
  return recovery;
}

}  // namespace mxc
