#include "mxc/plan.h"

namespace mxc {

std::string_view Name(Strength strength) {
  switch (strength) {
    case Strength::kKernel:
      return "kernel";
    case Strength::kProxy:
      return "proxy";
    case Strength::kCooperative:
      return "cooperative";
    case Strength::kNone:
      return "none";
  }
  return "none";
}

}  // namespace mxc
