#include "report/system_log.h"

namespace mxc {

Status WriteToSystemLog(const std::string& /*text*/) {
  return Error{.code = ErrorCode::kUnsupported, .message = "Windows has no syslog"};
}

}  // namespace mxc
