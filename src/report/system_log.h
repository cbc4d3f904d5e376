// The system's log, where lines of an audit log are witnessed: journald and syslogd alike read /dev/log.
#pragma once

#include <string>

#include "mxc/error.h"

namespace mxc {

// One message of facility authpriv. Errors: kSetupFailed, nobody takes it; kUnsupported on Windows.
[[nodiscard]] Status WriteToSystemLog(const std::string& text);

}  // namespace mxc
