// A Policy: what a configuration means on this host. Planners get it and know no schema versions, defaults or
// spellings; `~` and `${PWD}` are expanded even before Decode.
//
// A default-constructed Policy reads nothing, writes nothing and has no network.
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
  std::string path = {};              // absolute, canonical (no symlink, "." or ".."), no trailing slash
  Access access = Access::kReadOnly;  // or kReadWrite, kDenied
  // Identity (device, inode) of the file at `path` at resolve time; Launch refuses the run if it changed.
  // Absent if there was none, or if no file was examined (Policy::as_written, the macOS baseline).
  std::optional<FileObject> object = {};
  // Only for a denied rule without object: `path` up to its first missing component. Below a read-write grant
  // the run creates a placeholder there.
  std::string first_missing = {};
  // Only for a denied rule without object: set if `path` holds what looks like another run's placeholder. If
  // this run creates no placeholder there, it masks that object, unless it has gone by then.
  std::optional<FileObject> look_alike = {};
  // Only for a denied directory that is missing, mxc-exec's own or one for sockets: the mode with which the
  // launcher creates it (OwnDirectory), so that a mask can be mounted on it. 0: it is not created.
  std::uint32_t own_directory_mode = 0;
  // Only for a denied directory in which programs of the host keep sockets, missing or not: the mode of the
  // tmpfs that masks it, in which the command may create its own sockets. 0: it gets an ordinary mask.
  std::uint32_t socket_directory_mode = 0;
  // Only for a protection rule whose path does not exist: the readable placeholder that takes the name.
  std::optional<PlaceholderKind> placeholder_kind = {};
  // JSON pointer of its clause. Empty for the baseline, and for file systems of the kernel (/proc, /sys) that
  // are mounted below a grant and therefore denied.
  std::string pointer = {};
  Origin origin = Origin::kPolicy;
  std::string source = {};  // if set: a canonical path in an image, mounted at `path` instead of the host's
  // Mounted with an idmap that maps no owner (Host::CanUnmapOwners): every user inside, root included, gets
  // only the permission bits for others, so a denied file without such bits needs no mask. Only in the
  // baseline, and only where our own engine or bubblewrap runs as root.
  bool unmapped_owners = false;
};

// A symlink to recreate in the sandbox, so that a path works as the user wrote it and readlink(2) returns
// what it does on the host.
struct PathLink {
  std::string path = {};
  std::string target = {};  // text of the link
};

// ---- process -------------------------------------------------------------------------------------------

struct Process {
  std::vector<std::string> argv = {};  // never empty in a Policy
  // `command_line` as arguments, if a shell would provably do nothing but execute them; else empty.
  std::vector<std::string> without_shell = {};
  std::string command_line = {};           // as written, for reports; empty when argv was given
  std::string cwd = {};                    // absolute inside the sandbox, never empty in a Policy
  std::string cwd_pointer = {};            // of process.cwd; empty: not written
  std::vector<Variable> environment = {};  // exactly what the child gets; names are unique
  // For a containment with a system of its own (ContainmentTraits::own_system): keep that system's variables;
  // `environment` overrides them.
  bool keeps_guest_environment = false;
  std::uint32_t timeout_ms = 0;  // 0: none
};

// A preset of `protect` by name, for backends that write a configuration for an mxc-exec in the sandbox. On
// this host its rules are in Policy::paths.
struct ProtectEntry {
  std::string preset = {};
  std::string pointer = {};
};

// What is put into the private HOME before the command starts; the command may change it.
struct HomeFile {
  std::string name = {};  // ".gitconfig", ".config/gh"
  std::string text = {};
  std::string link_to = {};  // not empty: a symbolic link to this path in the sandbox, instead of a file
};

// One checkable part of a policy. A plan without a ledger entry for each of them is refused.
struct Clause {
  std::string pointer = {};
  std::string text = {};  // "read-write /srv/work"
};

// What a containment on Windows may change on the host.
struct WindowsOptions {
  bool acl_changes_allowed = true;          // fallback.allowDaclMutation
  bool bfs_allowed = false;                 // fallback.allowBfs: grants by bfscfg.exe
  bool loopback_exemption_allowed = false;  // fallback.allowLoopbackExemption
  bool policy_preserved = false;            // lifecycle.preservePolicy
};

struct Policy {
  Containment containment = Containment::kBubblewrap;  // Resolve sets the one that was selected
  std::string container_id = {};                       // `containerId` as written; empty: none
  OperatingSystem system = OperatingSystem::kLinux;    // the system it was resolved for
  PathStyle path_style = PathStyle::kPosix;
  // Resolved on another operating system, for display only: no file was looked at.
  bool as_written = false;
  Process process = {};
  // Ordered: a rule comes after the rules for its ancestors, so applying them in order lets the most specific
  // path win. At most one rule per path.
  std::vector<PathRule> paths = {};
  std::vector<PathLink> links = {};
  Workspace workspace = {};               // paths below it are host paths here; planners translate them
  std::string private_temp_pointer = {};  // not empty: the policy asks for a private /tmp
  // Without mounts: mxc-exec's own directory on the host in which a run makes that for its temporary files.
  // Every run denies it. Empty: there is no place for one.
  std::string temp_place = {};
  std::vector<ProtectEntry> protect = {};
  GitSnapshot git = {};  // state of git's files before the run, to compare with afterwards
  std::vector<HomeFile> home_files = {};
  Network network = {};         // host-name rules as written; planners make EgressRules of them
  Ui ui = {};                   // access to the caller's desktop
  bool destroy_on_exit = true;  // lifecycle.destroyOnExit
  WindowsOptions windows = {};
  Json section = {};   // of the containment, as written and checked by Decode; kNull when there is none
  Output output = {};  // cap and redaction of the command's output
  Audit audit = {};    // the audit log
  std::vector<ResourceLimit> resources = {};  // at most one of each kind
  CgroupSupport cgroups = {};                 // probed only if a limit of `resources` may need a group
  Identity identity = {};
  Tier minimum_tier = Tier::kNone;            // a weaker isolation is refused
  bool interactive = false;                   // standard input and output are a terminal
  bool stays = false;                         // a persistent sandbox: its commands come in later calls
  std::vector<std::string> relaxations = {};  // defaults that the policy relaxes: "git-unprotected"
  std::vector<Clause> clauses = {};
  std::vector<Warning> warnings = {};
};

}  // namespace mxc
