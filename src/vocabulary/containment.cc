#include "mxc/containment.h"

#include <algorithm>
#include <iterator>

namespace mxc {
namespace {

using System = OperatingSystem;

constexpr ContainmentTraits kTraits[] = {
    {.containment = Containment::kBubblewrap,
     .name = "bubblewrap",
     .home = System::kLinux,
     .mounts = true,
     .persistent = true,
     .proxy = ProxySupport::kGateway},
    {.containment = Containment::kNamespaces,
     .name = "namespaces",
     .home = System::kLinux,
     .mounts = true,
     .persistent = true,
     .proxy = ProxySupport::kGateway},
    {.containment = Containment::kLandlock,
     .name = "landlock",
     .home = System::kLinux,
     .proxy = ProxySupport::kGateway},
    {.containment = Containment::kLxc,
     .name = "lxc",
     .home = System::kLinux,
     .mounts = true,
     .persistent = true,
     .takes_image = true,
     .proxy = ProxySupport::kContainer,
     .section = "lxc"},
    {.containment = Containment::kKubernetes,
     .name = "kubernetes",
     .home = System::kLinux,
     .own_system = true,
     .linux_guest = true,
     .remote = true,
     .auto_in_place = true,
     .persistent = true,
     .section = "kubernetes",
     .id_prefix = "k8s"},
    {.containment = Containment::kProcessContainer,
     .name = "processcontainer",
     .home = System::kWindows,
     .keeps_profile = true,
     .network_capabilities = true,
     .proxy = ProxySupport::kAnyKind,
     .section = "processContainer"},
    {.containment = Containment::kWindowsSandbox,
     .name = "windows_sandbox",
     .home = System::kWindows,
     .experimental = true,
     .own_system = true,
     .persistent = true,
     .section = "windowsSandbox"},
    {.containment = Containment::kWslc,
     .name = "wslc",
     .home = System::kWindows,
     .experimental = true,
     .own_system = true,
     .linux_guest = true,
     .persistent = true,
     .proxy = ProxySupport::kUrl,
     .network = NetworkControl::kSwitch,
     .section = "wslc"},
    {.containment = Containment::kIsolationSession,
     .name = "isolation_session",
     .home = System::kWindows,
     .experimental = true,
     .own_system = true,
     .network = NetworkControl::kOpenOnly,
     .section = "isolationSession"},
    {.containment = Containment::kMicrovm,
     .name = "microvm",
     .home = System::kAny,
     .experimental = true,
     .own_system = true,
     .missing = {.reason = "is not built into this program"}},
    {.containment = Containment::kHyperlight,
     .name = "hyperlight",
     .home = System::kAny,
     .experimental = true,
     .own_system = true,
     .section = "hyperlight",
     .missing = {.code = ErrorCode::kUnavailable, .reason = "has no guest image on this host"}},
    {.containment = Containment::kSeatbelt,
     .name = "seatbelt",
     .home = System::kMacos,
     .proxy = ProxySupport::kProfile,
     .section = "seatbelt"},
    {.containment = Containment::kVm, .name = "vm", .home = System::kWindows, .planned = false},
    {.containment = Containment::kNone, .name = "none", .home = System::kAny, .isolates = false},
};

constexpr bool IsInOrder() {
  for (std::size_t i = 0; i < std::size(kTraits); ++i)
    if (static_cast<std::size_t>(kTraits[i].containment) != i) return false;
  return true;
}
static_assert(IsInOrder(), "TraitsOf takes the enumerator for an index");

struct Intended {
  System system;
  Containment process;
  Containment machine;
};

constexpr Intended kIntended[] = {
    {System::kLinux, Containment::kBubblewrap, Containment::kVm},
    {System::kWindows, Containment::kProcessContainer, Containment::kWindowsSandbox},
    {System::kMacos, Containment::kSeatbelt, Containment::kVm},
};

const Intended& IntendedOn(System system) {
  const auto* const found = std::find_if(std::begin(kIntended), std::end(kIntended),
                                         [system](const Intended& row) { return row.system == system; });
  return found == std::end(kIntended) ? kIntended[0] : *found;
}

}  // namespace

const ContainmentTraits& TraitsOf(Containment containment) {
  return kTraits[static_cast<std::size_t>(containment)];
}

std::span<const ContainmentTraits> AllContainments() { return kTraits; }

Containment ProcessContainmentOf(System system) { return IntendedOn(system).process; }

Containment MachineContainmentOf(System system) { return IntendedOn(system).machine; }

std::optional<Tier> TierNamed(std::string_view name) {
  for (const Tier tier : {Tier::kNone, Tier::kProcess, Tier::kContainer, Tier::kVirtualMachine}) {
    if (Name(tier) == name) return tier;
  }
  return std::nullopt;
}

}  // namespace mxc
