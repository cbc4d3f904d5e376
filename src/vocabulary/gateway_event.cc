#include "mxc/egress.h"

namespace mxc {

std::string_view Name(GatewayEvent event) {
  switch (event) {
    case GatewayEvent::kName:
      return "name";
    case GatewayEvent::kConnection:
      return "connection";
    case GatewayEvent::kFlow:
      return "flow";
    case GatewayEvent::kPublished:
      return "published";
  }
  return "?";
}

}  // namespace mxc
