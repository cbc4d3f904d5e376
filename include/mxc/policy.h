// A Policy: what a configuration means on this host. The last stage before planning; nothing after it knows
// schema versions, defaults or spellings.
//
// Everything starts closed. A default-constructed Policy reads nothing, writes nothing and has no network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mxc/containment.h"
#include "mxc/error.h"
#include "mxc/file_object.h"
#include "mxc/git_snapshot.h"
#include "mxc/identity.h"
#include "mxc/json.h"
#include "mxc/network.h"
#include "mxc/output.h"
#include "mxc/resource.h"
#include "mxc/sandbox/workspace.h"
#include "mxc/secret.h"
#include "mxc/ui.h"

namespace mxc {

enum class PathStyle { kPosix, kWindows };

// Where a rule comes from. Baseline rules make a usable system (shell, libraries); they yield to policy
// rules. Protection rules keep parts of read-write grants read-only, or keep them from being renamed or
// removed.
enum class Origin { kBaseline, kPolicy, kProtection };

struct PathRule {
  std::string path = {};  // absolute, canonical (no symlink, "." or ".."), no trailing slash
  Access access = Access::kReadOnly;
  // Absent if nothing exists there, or if no file was looked at (Policy::as_written, the macOS baseline).
  std::optional<FileObject> object = {};
  // Only for a denied rule without object: the first missing component of `path`.
  std::string first_missing = {};
  // If not 0: a denied directory of mxc-exec's own that does not exist yet. The launcher creates it with this
  // mode, so that a mask can be mounted on it (Step OwnDirectory).
  std::uint32_t own_directory = 0;
  // If not 0: programs of the host keep sockets in this denied directory. The command sees an empty directory
  // of its own with this mode instead of a mask.
  std::uint32_t socket_directory = 0;
  // Set for a protection rule whose path does not exist: what holds the name.
  std::optional<PlaceholderKind> placeholder_kind = {};
  // Clause it comes from; empty for the baseline, and for /proc, /sys and similar mounts below a grant.
  std::string pointer = {};
  Origin origin = Origin::kPolicy;
  std::string source = {};  // if set: a canonical path in an image, shown at `path` instead of the host's
  // Mounted with unmapped owners (Host::CanUnmapOwners): every user inside, root included, has the
  // permissions of others only. A denied file that gives others none then needs no mask. Only in the
  // baseline, and only where our own engine or bubblewrap runs as root.
  bool unmapped_owners = false;
};

// A symlink to recreate, so that a path works in the spelling the user wrote and `readlink` agrees with the
// host.
struct PathLink {
  std::string path = {};
  std::string target = {};  // text of the link
};

// ---- process -------------------------------------------------------------------------------------------

struct Process {
  std::vector<std::string> argv = {};  // never empty in a Policy
  // The words of `command_line`, if a shell would provably do nothing but execute them; else empty.
  std::vector<std::string> without_shell = {};
  std::string command_line = {};  // as written, for reports; empty when argv was given
  std::string cwd = {};           // absolute inside the sandbox, never empty in a Policy
  std::string cwd_pointer = {};
  std::vector<Variable> environment = {};  // exactly what the child gets; names are unique
  // For a containment with a system of its own (ContainmentTraits::own_system): keep that system's variables;
  // `environment` overrides them.
  bool keeps_guest_environment = false;
  std::uint32_t timeout_ms = 0;  // 0: none
};

// A preset of `protect`, kept by name for what passes the policy on to an mxc-exec inside.
struct ProtectEntry {
  std::string preset = {};
  std::string pointer = {};
};

// A file put into the private HOME before the command starts; the command may change it.
struct HomeFile {
  std::string name = {};  // ".gitconfig"
  std::string text = {};
};

// One checkable part of a policy. Every clause needs an entry in the plan's ledger.
struct Clause {
  std::string pointer = {};
  std::string text = {};  // "read-write /srv/work"
};

struct Policy {
  Containment containment = Containment::kBubblewrap;
  std::string container_id = {};
  OperatingSystem system = OperatingSystem::kLinux;  // the system it was resolved for
  PathStyle path_style = PathStyle::kPosix;
  // Resolved on another operating system, for display only: no file was looked at.
  bool as_written = false;
  Process process = {};
  // Ordered: a rule comes after the rules for its ancestors, so applying them in order lets the most specific
  // path win. At most one rule per path.
  std::vector<PathRule> paths = {};
  std::vector<PathLink> links = {};
  Workspace workspace = {};               // `paths` and `links` name its files as the host does
  std::string private_temp_pointer = {};  // not empty: the policy asks for a private /tmp
  std::vector<ProtectEntry> protect = {};
  GitSnapshot git = {};
  std::vector<HomeFile> home_files = {};
  Network network = {};
  Ui ui = {};
  bool destroy_on_exit = true;              // lifecycle: a container of this run only
  bool acl_changes_allowed = true;          // fallback.allowDaclMutation
  bool bfs_allowed = false;                 // fallback.allowBfs
  bool loopback_exemption_allowed = false;  // fallback.allowLoopbackExemption
  bool policy_preserved = false;            // lifecycle.preservePolicy
  Json section = {};  // of the containment, as written and checked by Decode; kNull when there is none
  Output output = {};
  Audit audit = {};
  std::vector<ResourceLimit> resources = {};  // at most one of each kind
  CgroupSupport cgroups = {};                 // probed only if a limit of `resources` may need a group
  Identity identity = {};
  Tier minimum_tier = Tier::kNone;
  bool interactive = false;                   // standard input and output are a terminal
  bool stays = false;                         // a persistent sandbox: its commands come later
  std::vector<std::string> relaxations = {};  // defaults that the policy relaxes: "git-unprotected"
  std::vector<Clause> clauses = {};
  std::vector<Warning> warnings = {};
};

}  // namespace mxc
