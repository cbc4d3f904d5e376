// Policy fragments found on this machine (contract 6.5), for `--discover tools|profile|temp`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

struct Discovery {
  std::vector<std::string> read_only = {};
  std::vector<std::string> read_write = {};
};

// `what`: "tools", "profile" or "temp". Errors: kUsage for anything else.
[[nodiscard]] Result<Discovery> Discover(std::string_view what, const Host& host);

}  // namespace mxc
