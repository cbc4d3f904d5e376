// The containments of the contract, the operating system each belongs to, and tiers.
#pragma once

#include <optional>
#include <string_view>

namespace mxc {

// A concrete containment: what `dispatch.cc` switches over.
enum class Containment {
  kBubblewrap,
  kNamespaces,  // our own engine; what "process" means on Linux
  kLandlock,    // the same without namespaces: Landlock and seccomp alone
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

// What our own Linux engine stands on, strongest first: how far down the isolation fallback a run had to go.
enum class IsolationLevel {
  kNone,                 // another engine
  kNamespaces,           // every namespace, a /proc of its own
  kNamespacesOuterProc,  // every namespace, the outer /proc, read-only: the kernel refuses a new one
  kLandlock,             // Landlock and seccomp alone
};

[[nodiscard]] std::string_view Name(Containment containment);  // wire name
[[nodiscard]] std::string_view Name(
    IsolationLevel isolation_level);  // "namespaces", "namespaces-outer-proc", "landlock"; ""
[[nodiscard]] OperatingSystem HomeOf(Containment containment);
[[nodiscard]] bool IsExperimental(Containment containment);
// The command meets another system than the host's, with variables of its own.
[[nodiscard]] bool BringsOwnSystem(Containment containment);
[[nodiscard]] std::string_view Name(OperatingSystem system);  // "Linux"
[[nodiscard]] std::string_view Name(Tier tier);  // "none", "process", "container", "virtual-machine"
[[nodiscard]] std::optional<Tier> TierNamed(std::string_view name);

}  // namespace mxc
