// A Policy: what a configuration means on this host. The last stage before planning; nothing after it knows
// schema versions, defaults or spellings.
//
// Everything starts closed. A default-constructed Policy reads nothing, writes nothing and has no network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/containment.h"
#include "mxc/git_snapshot.h"
#include "mxc/json.h"
#include "mxc/resource.h"
#include "mxc/secret.h"

namespace mxc {

enum class PathStyle { kPosix, kWindows };

enum class Access { kReadOnly, kReadWrite, kDenied };
enum class RuleAction { kDeny, kAllow };

enum class FileType { kRegular, kDirectory, kSymlink, kSocket, kCharacterDevice, kBlockDevice, kFifo };

// The object a path named when it was resolved. Launch opens the path again and refuses when device or inode
// differ, so that a swap between check and use is harmless.
struct FileObject {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  FileType type = FileType::kRegular;
};

// Where a rule comes from. Baseline rules make a usable system (shell, libraries); they yield to policy
// rules. Protection rules keep parts of read-write grants read-only, or at their name.
enum class Origin { kBaseline, kPolicy, kProtection };

// Holds the name of a protected path that does not exist. To its readers it means the same as nothing there:
// an empty directory of hooks, an empty start-up file.
struct PlaceholderKind {
  FileType type = FileType::kDirectory;  // or kRegular
  std::string text = {};                 // of a regular file
};

struct PathRule {
  std::string path = {};  // absolute, canonical (no symlink, "." or ".."), no trailing slash
  Access access = Access::kReadOnly;
  // Absent: nothing is there, or nobody looked (Policy::as_written, the baseline of macOS).
  std::optional<FileObject> object = {};
  // Only for a denied rule without object: the first missing component of `path`.
  std::string first_missing = {};
  // Only for a denied rule without object: the mode of a directory of ours, which the launcher makes to have
  // what to mask.
  std::uint32_t own_directory = 0;
  // Only for a protection rule without object. The directory of `path` exists.
  std::optional<PlaceholderKind> placeholder_kind = {};
  std::string pointer = {};  // clause it comes from; empty for the baseline and for kernel mounts
  Origin origin = Origin::kPolicy;
  std::string source = {};  // what shows there, when that is an image's and not the host's `path`; canonical
  // Shown so that everybody inside, root too, may do what others may (Host::CanUnmapOwners); of a denied
  // file: others may do nothing, and it needs no mask. Of the baseline, in our own engine.
  bool unmapped_owners = false;
};

// A symlink to recreate, so that a path works in the spelling the user wrote and `readlink` agrees with the
// host.
struct PathLink {
  std::string path = {};
  std::string target = {};  // text of the link
};

// ---- network -------------------------------------------------------------------------------------------

enum class Protocol { kAny, kTcp, kUdp, kIcmp };
[[nodiscard]] std::string_view Name(Protocol protocol);  // "any", "tcp", "udp", "icmp"

struct PortRange {
  Protocol protocol = Protocol::kAny;
  std::uint16_t first = 0;  // 0: every port
  std::uint16_t last = 0;   // inclusive
};

// One destination: exactly one of `cidr` and `host` is set.
struct Peer {
  std::string cidr = {};                 // canonical text, "10.0.0.0/8"
  std::vector<std::string> except = {};  // CIDRs inside `cidr`
  std::string host = {};                 // name, "*.name" for its subdomains, or "*" for every name
};

// Empty `to`: every address. Empty `ports`: every protocol and port.
struct NetworkRule {
  std::vector<Peer> to = {};
  std::vector<PortRange> ports = {};
  // What is said on connections that this allows by name is not looked at. Has `ports`.
  bool uninspected = false;
  std::string pointer = {};
};

struct ProxyRule {
  std::string url = {};   // without credentials; a URL that carries some is refused
  std::string host = {};  // of the URL: name or address, lower case, without brackets
  std::uint16_t port = 0;
  std::string pointer = {};
};

// A port of the host's loopback whose connections arrive at a port of the sandbox's loopback. TCP.
struct PublishedPort {
  std::uint16_t host = 0;
  std::uint16_t guest = 0;
  std::string pointer = {};
};

// An HTTP proxy of the launcher's environment.
struct UpstreamProxy {
  std::string host = {};  // name or address, lower case, without brackets
  std::uint16_t port = 0;
  Secret credentials = {};    // "user:password"; empty: none
  std::string variable = {};  // that named it
};

// Proxies through which the gateway reaches what is allowed, by CONNECT. Without one it dials itself.
struct Upstream {
  std::string pointer = {};                  // empty: not asked for
  std::optional<UpstreamProxy> http = {};    // for port 80
  std::optional<UpstreamProxy> others = {};  // for every other port
  std::vector<std::string> direct = {};      // entries of NO_PROXY
};

struct Network {
  RuleAction egress = RuleAction::kDeny;  // for destinations no rule names
  std::string egress_pointer = {};
  std::vector<NetworkRule> allow = {};
  std::vector<NetworkRule> deny = {};  // beat `allow`
  RuleAction ingress = RuleAction::kDeny;
  std::string ingress_pointer = {};
  RuleAction host_loopback = RuleAction::kDeny;
  std::string host_loopback_pointer = {};
  std::vector<PublishedPort> publish = {};
  std::optional<ProxyRule> proxy = {};
  Upstream upstream = {};  // its proxies are known in a Policy
  // The host's own network, unfiltered: the legacy dialect's defaultPolicy "allow" with allowLocalNetwork
  // true.
  bool share_host = false;
  std::string share_host_pointer = {};
  // What the command tries is to be told, also where nothing is allowed (--report). Best effort.
  bool recorded = false;
};

// ---- the desktop ---------------------------------------------------------------------------------------

enum class Clipboard { kNone, kRead, kWrite, kAll };

// Windows, clipboard and synthetic input of the caller's session. Linux sandboxes have none of it to give.
// Pointers are empty for what was not written.
struct Ui {
  bool disabled = true;
  std::string disabled_pointer = {};
  Clipboard clipboard = Clipboard::kNone;
  std::string clipboard_pointer = {};
  bool injection = false;
  std::string injection_pointer = {};
};

// ---- process -------------------------------------------------------------------------------------------

struct Process {
  std::vector<std::string> argv = {};  // never empty in a Policy
  // The words of a command line whose shell would, for certain, only execute them; empty: nobody asked, or it
  // is not certain.
  std::vector<std::string> without_shell = {};
  std::string command_line = {};  // as written, for reports; empty when argv was given
  std::string cwd = {};           // absolute inside the sandbox, never empty in a Policy
  std::string cwd_pointer = {};
  std::vector<Variable> environment = {};  // exactly what the child gets; names are unique
  // Of a containment with a system of its own (BringsOwnSystem): its variables stay, below `environment`.
  bool keeps_guest_environment = false;
  std::uint32_t timeout_ms = 0;  // 0: none
};

struct Output {
  std::uint64_t max_bytes = 0;  // per stream; 0: no cap
  bool redact_secrets = false;
  bool redact_pii = false;
  [[nodiscard]] bool Pumped() const { return max_bytes != 0 || redact_secrets || redact_pii; }
};

struct Audit {
  enum class OnFailure { kRefuse, kWarn };
  std::string path = {};  // absolute; empty: no audit
  OnFailure on_failure = OnFailure::kRefuse;
};

// Who starts the sandbox. Files are checked against this identity; the child keeps it, without capabilities.
struct Identity {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  [[nodiscard]] bool IsRoot() const { return uid == 0; }
};

// A preset of `protect`, by name, for a backend that hands the policy on.
struct ProtectEntry {
  std::string preset = {};
  std::string pointer = {};
};

// Something the user should know that is no reason to stop. Categories: docs/errors.md.
struct Warning {
  std::string category = {};  // "path-missing", "network-unrestricted", "running-as-root", ...
  std::string message = {};
  std::string pointer = {};
};

// One checkable part of a policy. Every clause needs an entry in the plan's ledger.
struct Clause {
  std::string pointer = {};
  std::string text = {};  // "read-write /srv/work"
};

struct Policy {
  Containment containment = Containment::kBubblewrap;
  std::string container_id = {};
  OperatingSystem system = OperatingSystem::kLinux;  // that it was resolved for
  PathStyle path_style = PathStyle::kPosix;
  // Resolved away from its system, to be shown: no file was looked at.
  bool as_written = false;
  Process process = {};
  // Ordered: a rule stands behind every rule for one of its ancestors, so applying them in order lets the
  // most specific path win. At most one rule per path.
  std::vector<PathRule> paths = {};
  std::vector<PathLink> links = {};
  std::string private_temp_pointer = {};  // not empty: the policy asks for a private /tmp
  std::vector<ProtectEntry> protect = {};
  GitSnapshot git = {};
  Network network = {};
  Ui ui = {};
  bool destroy_on_exit = true;      // lifecycle: a container of this run only
  bool acl_changes_allowed = true;  // fallback.allowDaclMutation
  Json section = {};  // of the containment, as written and checked by Decode; kNull when there is none
  Output output = {};
  Audit audit = {};
  std::vector<ResourceLimit> resources = {};  // at most one of each kind
  CgroupSupport cgroups = {};                 // looked for only when a limit of `resources` may need one
  Identity identity = {};
  Tier minimum_tier = Tier::kNone;
  bool interactive = false;                   // standard input and output are a terminal
  bool stays = false;                         // of a provision request: its commands come later
  std::vector<std::string> relaxations = {};  // named weakenings of the default: "git-unprotected"
  std::vector<Clause> clauses = {};
  std::vector<Warning> warnings = {};
};

}  // namespace mxc
