// A command in an isolation session of Windows as data: a separate user that a system service creates and
// removes. backends/isolation_session makes it; no build starts one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/secret.h"

namespace mxc {

struct IsolationSession {
  std::string command_line = {};  // for cmd.exe /c; empty in a provision request
  std::vector<Variable> environment = {};
  std::string cwd = {};
  std::uint64_t service_timeout_ms = 0;  // when the service ends the command by itself; 0: never
  std::string application = {};          // appId; empty: none given
  std::string account = {};              // of Entra, as a user principal name; empty: a local one
};

}  // namespace mxc
