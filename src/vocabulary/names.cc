// The names of enumerators, as records and messages have them.
#include <algorithm>
#include <cstddef>
#include <string_view>

#include "mxc/containment.h"
#include "mxc/egress.h"
#include "mxc/file_call.h"
#include "mxc/network.h"
#include "mxc/plan.h"
#include "mxc/resource.h"

namespace mxc {
namespace {

constexpr std::size_t IndexOf(auto enumerator) { return static_cast<std::size_t>(enumerator); }

// `names`: of the enumerators up to kLast, in their order.
template <auto kLast>
std::string_view NameOf(decltype(kLast) value, const std::string_view (&names)[IndexOf(kLast) + 1]) {
  return names[std::min(IndexOf(value), IndexOf(kLast))];
}

}  // namespace

std::string_view Name(Protocol protocol) {
  return NameOf<Protocol::kIcmp>(protocol, {"any", "tcp", "udp", "icmp"});
}

std::string_view Name(Strength strength) {
  return NameOf<Strength::kNone>(strength, {"kernel", "proxy", "cooperative", "none"});
}

std::string_view Name(FileUse use) {
  return NameOf<FileUse::kConnect>(use, {"look", "read", "write", "execute", "connect"});
}

std::string_view Name(GatewayEvent event) {
  return NameOf<GatewayEvent::kPublished>(event, {"name", "connection", "flow", "published"});
}

std::string_view Name(IsolationLevel isolation_level) {
  return NameOf<IsolationLevel::kLandlock>(isolation_level,
                                           {"", "namespaces", "namespaces-outer-proc", "landlock"});
}

std::string_view Name(OperatingSystem system) {
  return NameOf<OperatingSystem::kAny>(system, {"Linux", "Windows", "macOS", "any"});
}

std::string_view Name(Tier tier) {
  return NameOf<Tier::kVirtualMachine>(tier, {"none", "process", "container", "virtual-machine"});
}

std::string_view Name(Resource resource) {
  return NameOf<Resource::kCpuTime>(
      resource, {"memory", "cpus", "processes", "openFiles", "tmp", "fileSize", "cpuTime"});
}

}  // namespace mxc
