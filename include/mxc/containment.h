// The containments of the contract, their traits, and tiers.
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

// The mechanisms of our own Linux engine, strongest first: the steps of the isolation fallback.
enum class IsolationLevel {
  kNone,                 // another engine
  kNamespaces,           // every namespace, its own /proc
  kNamespacesOuterProc,  // every namespace, the outer /proc read-only, as the kernel refuses a new one
  kLandlock,             // Landlock and seccomp alone
};

// Which proxies of a configuration a containment can enforce.
enum class ProxySupport {
  kNone,
  kAnyKind,    // every kind, beside every other rule
  kGateway,    // every kind, not beside `enforcementMode`'s firewall or host lists
  kContainer,  // a URL off the host's loopback, with a firewall
  kProfile,    // every kind, without a firewall
  kUrl,        // a URL, beside an open network
};

// The most of a network policy that a containment can enforce.
enum class NetworkControl {
  kRules,     // names, addresses, ports
  kSwitch,    // open or closed
  kOpenOnly,  // nothing: the policy must allow everything
};

// Why a containment without a backend is refused.
struct MissingBackend {
  ErrorCode code = ErrorCode::kUnsupported;
  std::string_view reason = {};  // completes "the 'X' backend "; empty: nothing is missing
};

// Everything that the stages know of a containment besides its backend. One row for each in
// vocabulary/containment.cc.
struct ContainmentTraits {
  Containment containment;
  std::string_view name;  // in a configuration
  OperatingSystem home;
  bool isolates = true;
  bool experimental = false;
  bool planned = true;         // a backend can show its plan on another system
  bool own_system = false;     // the command runs on another system than the host's, with its own variables
  bool linux_guest = false;    // that system is a Linux, and paths are paths there
  bool remote = false;         // that system is on another machine (RemoteOf)
  bool auto_in_place = false;  // `auto` selects it in its environment (Backend::place)
  bool mounts = false;         // the command gets a mount namespace
  bool persistent = false;     // one sandbox can take several commands (phases)
  bool keeps_profile = false;  // a profile can stay for the next run of the same name (destroyOnExit)
  bool network_capabilities = false;  // grants all public or all private addresses, no single hosts
  bool takes_image = false;           // the section may name a root file system
  ProxySupport proxy = ProxySupport::kNone;
  NetworkControl network = NetworkControl::kRules;
  std::string_view section = {};    // of the configuration, at the top level
  std::string_view id_prefix = {};  // if `remote` and `persistent`: prefix of its identifiers, before a colon
  MissingBackend missing = {};
};

// The end of a hint for what a containment without a mount namespace cannot hold.
inline constexpr std::string_view kChooseUserNamespaces =
    "choose the containment process where user namespaces are allowed (`mxc-exec --probe` says what forbids "
    "them here)";

[[nodiscard]] const ContainmentTraits& TraitsOf(Containment containment);
[[nodiscard]] std::span<const ContainmentTraits> AllContainments();  // in the order of the enumerators
// The containments of the intents "process" and "vm". On Linux a weaker one may take its place at run time.
[[nodiscard]] Containment ProcessContainmentOf(OperatingSystem system);
[[nodiscard]] Containment MachineContainmentOf(OperatingSystem system);

[[nodiscard]] inline std::string_view Name(Containment containment) { return TraitsOf(containment).name; }
[[nodiscard]] std::string_view Name(
    IsolationLevel isolation_level);  // "namespaces", "namespaces-outer-proc", "landlock"; ""
[[nodiscard]] std::string_view Name(OperatingSystem system);  // "Linux"
[[nodiscard]] std::string_view Name(Tier tier);  // "none", "process", "container", "virtual-machine"
[[nodiscard]] std::optional<Tier> TierNamed(std::string_view name);

}  // namespace mxc
