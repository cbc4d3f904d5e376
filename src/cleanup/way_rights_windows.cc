#include "cleanup/way_rights.h"

namespace mxc {

Result<bool> TakeRightsBack(const Way& /*before*/) { return false; }

}  // namespace mxc
