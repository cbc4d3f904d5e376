#include "report/system_log.h"

namespace mxc {

Status WriteToSystemLog(const std::string& /*text*/) { return Unsupported("Windows has no syslog"); }

}  // namespace mxc
