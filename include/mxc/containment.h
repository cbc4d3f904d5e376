// The containments of the contract, what is known of each, and tiers.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "mxc/error.h"

namespace mxc {

// A concrete containment: what `dispatch.cc` switches over.
enum class Containment {
  kBubblewrap,
  kNamespaces,  // our own engine; what "process" means on Linux
  kLandlock,    // the same without namespaces: Landlock and seccomp alone
  kLxc,
  kKubernetes,  // a pod of a cluster, with an mxc-exec of our own inside
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

// What a containment makes of a proxy of the configuration.
enum class ProxySupport {
  kNone,
  kAnyKind,    // every kind, beside every other rule
  kGateway,    // every kind, not beside `enforcementMode`'s firewall or host lists
  kContainer,  // a URL off the host's loopback, with a firewall
  kProfile,    // every kind, without a firewall
  kUrl,        // a URL, beside an open network
};

// What of a network policy it can hold at most.
enum class NetworkControl {
  kRules,     // names, addresses, ports
  kSwitch,    // open or closed
  kOpenOnly,  // nothing: the policy has to say that all is allowed
};

// Of a name that is never run.
struct MissingBackend {
  ErrorCode code = ErrorCode::kUnsupported;
  std::string_view reason = {};  // completes "the 'X' backend "; empty: nothing is missing
};

// All that the stages know of a containment beside its backend. One row for each in
// vocabulary/containment.cc.
struct ContainmentTraits {
  Containment containment;
  std::string_view name;  // in a configuration
  OperatingSystem home;
  bool isolates = true;
  bool experimental = false;
  bool planned = true;         // a backend can show its plan on another system
  bool own_system = false;     // the command meets another system than the host's, with variables of its own
  bool linux_guest = false;    // that system is a Linux, and paths are its
  bool remote = false;         // that system is on another machine (RemoteOf)
  bool auto_in_place = false;  // `auto` means it in its place, with its section (Backend::place)
  bool mounts = false;         // the command gets a mount namespace
  bool persistent = false;     // one sandbox can take several commands (phases)
  bool keeps_profile = false;  // something can stay for the next run of the same name (destroyOnExit)
  bool takes_image = false;    // the section may name a root file system
  ProxySupport proxy = ProxySupport::kNone;
  NetworkControl network = NetworkControl::kRules;
  std::string_view section = {};    // of the configuration, at the top level
  std::string_view id_prefix = {};  // of `remote` and `persistent`: its identifiers begin so, before a colon
  MissingBackend missing = {};
};

[[nodiscard]] const ContainmentTraits& TraitsOf(Containment containment);
[[nodiscard]] std::span<const ContainmentTraits> AllContainments();  // in the order of the enumerators
// What the intents "process" and "vm" mean there. On Linux a weaker one may take its place at run time.
[[nodiscard]] Containment ProcessContainmentOf(OperatingSystem system);
[[nodiscard]] Containment MachineContainmentOf(OperatingSystem system);

[[nodiscard]] inline std::string_view Name(Containment containment) { return TraitsOf(containment).name; }
[[nodiscard]] std::string_view Name(
    IsolationLevel isolation_level);  // "namespaces", "namespaces-outer-proc", "landlock"; ""
[[nodiscard]] std::string_view Name(OperatingSystem system);  // "Linux"
[[nodiscard]] std::string_view Name(Tier tier);  // "none", "process", "container", "virtual-machine"
[[nodiscard]] std::optional<Tier> TierNamed(std::string_view name);

}  // namespace mxc
