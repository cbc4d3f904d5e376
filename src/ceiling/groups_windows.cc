#include "ceiling/ceiling.h"

namespace mxc {

std::vector<std::uint32_t> CallersGroups() { return {}; }

}  // namespace mxc
