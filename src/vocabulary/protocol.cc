#include "mxc/policy.h"

namespace mxc {

std::string_view Name(Protocol protocol) {
  switch (protocol) {
    case Protocol::kAny:
      return "any";
    case Protocol::kTcp:
      return "tcp";
    case Protocol::kUdp:
      return "udp";
    case Protocol::kIcmp:
      return "icmp";
  }
  return "any";
}

}  // namespace mxc
