#include <algorithm>

#include "mxc/backend.h"

namespace mxc {

bool Support::Has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

}  // namespace mxc
