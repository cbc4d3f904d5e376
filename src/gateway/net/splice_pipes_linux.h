// A pool of pipes for splice(2): a direction of a connection borrows one while bytes are in transit.
#pragma once

#include <vector>

#include "base/unique_fd.h"

namespace mxc::egress {

struct SplicePipe {
  UniqueFd reader = {};
  UniqueFd writer = {};
  explicit operator bool() const { return static_cast<bool>(reader); }
};

class PipePool {
 public:
  [[nodiscard]] SplicePipe Take();  // invalid with errno
  void Give(SplicePipe pipe);       // empty ones only

 private:
  std::vector<SplicePipe> idle_;
};

}  // namespace mxc::egress
