#include "run/config_lock_watch.h"

namespace mxc {

ConfigLockWatch ConfigLockWatch::Start(const GitSnapshot& /*before*/) { return {}; }

std::vector<std::string> ConfigLockWatch::Tried() { return {}; }

}  // namespace mxc
