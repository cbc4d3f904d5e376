// The containments of the contract, the operating system each belongs to, and tiers.
#pragma once

#include <optional>
#include <string_view>

namespace mxc {

// A concrete containment: what `dispatch.cc` switches over.
enum class Containment {
  kBubblewrap,
  kNamespaces,  // our own engine; what "process" means on Linux
  kLxc,
  kProcessContainer,
  kWindowsSandbox,
  kWslc,
  kIsolationSession,
  kMicrovm,
  kHyperlight,
  kSeatbelt,
  kVm,    // the intent "vm" on an operating system that has no backend for it
  kNone,  // direct execution: no isolation, only with --allow-unsandboxed
};

enum class OperatingSystem { kLinux, kWindows, kMacos, kAny };

// Strength class of an isolation: a lower enumerator is weaker.
enum class Tier { kNone, kProcess, kContainer, kVirtualMachine };

[[nodiscard]] std::string_view Name(Containment containment);  // wire name
[[nodiscard]] OperatingSystem HomeOf(Containment containment);
[[nodiscard]] bool IsExperimental(Containment containment);
[[nodiscard]] std::string_view Name(OperatingSystem system);  // "Linux"
[[nodiscard]] std::string_view Name(Tier tier);  // "none", "process", "container", "virtual-machine"
[[nodiscard]] std::optional<Tier> TierNamed(std::string_view name);

}  // namespace mxc
