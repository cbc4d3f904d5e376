// A Plan: what will be done, as data. A planner makes it from a Policy and what a probe found, and asks
// nothing else; src/run runs plans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mxc/containment.h"
#include "mxc/egress.h"
#include "mxc/error.h"
#include "mxc/file_object.h"
#include "mxc/git_snapshot.h"
#include "mxc/launch.h"
#include "mxc/output.h"
#include "mxc/resource.h"

namespace mxc {

// ---- setup -----------------------------------------------------------------------------------------------

// Modes that mark a placeholder: a second run on the same directory must not take it for a file of the
// user's. Together with the empty file or directory that it is they are otherwise not met.
inline constexpr std::uint32_t kPlaceholderMode = 01600;
inline constexpr std::uint32_t kPlaceholderFileMode = 01644;  // readable: to a program it is an empty file
inline constexpr std::uint32_t kPlaceholderDirectoryMode = 01755;

// A file or an empty directory at a denied or protected path that does not exist below a writable grant: a
// mount needs a target that exists. Removed when the last sandbox that needs it has ended, also when
// the launcher was killed.
struct Placeholder {
  std::string path = {};
  std::optional<PlaceholderKind> placeholder_kind = {};  // absent: an empty file that is masked
};

// A value for a file of a control group.
struct CgroupSetting {
  std::string file = {};
  std::string value = {};
  bool optional = false;  // not every kernel has this file, and the limit holds without it
};

// A control group for the run below `parent`, under a name that no other has. The child enters it before it
// does anything else; removed with whatever is still in it when the run has ended, also when the launcher was
// killed.
struct ControlGroup {
  std::string parent = {};
  bool unified = false;                       // version 2
  std::vector<std::string> controllers = {};  // of version 2 that `settings` need
  std::vector<std::string> switch_on = {};    // of those, to be enabled in `parent`; left enabled
  std::vector<CgroupSetting> settings = {};
  std::optional<ScopeRequest> scope = {};  // made below `parent` first: then all this is in there
};

// A directory of mxc-exec's own below a grant, created with its parents where it is missing, so that it can
// be masked before a command could create it. It is not removed: other runs use it.
struct OwnDirectory {
  std::string path = {};
  std::uint32_t mode = 0700;
};

// Undone when the run has ended, but for OwnDirectory.
using Step = std::variant<Placeholder, ControlGroup, OwnDirectory>;

// ---- the ledger ------------------------------------------------------------------------------------------

enum class Strength {
  kKernel,       // the kernel holds it
  kProxy,        // our gateway, or the launcher, mediates it and cannot be bypassed
  kCooperative,  // the program could ignore it
  kNone,         // nothing does; such a clause refuses the run
};

// Which mechanism enforces a clause of the policy. Refusal rules: docs/policy.md.
struct Enforcement {
  std::string pointer = {};
  Strength strength = Strength::kNone;
  std::string mechanism = {};
};

// What may be logged of a command: its arguments may hold secrets.
struct CommandShape {
  std::string word = {};      // first word of a command line, when it is plainly a program's name or path
  std::size_t arguments = 0;  // argv[0] not counted
  std::size_t bytes = 0;      // of the command line, or of all arguments
};

struct Plan {
  std::string run = {};          // identifier of this run in its records; random
  std::string policy_hash = {};  // plan/policy_hash.h; empty where no policy was resolved
  Containment containment = Containment::kNone;
  Tier tier = Tier::kNone;
  IsolationLevel isolation_level = IsolationLevel::kNone;
  std::vector<Step> setup = {};  // undone in reverse
  Launch launch = {};
  std::optional<EgressRules> egress = {};     // rules of the network gateway; absent: no gateway
  std::vector<std::string> not_covered = {};  // what a weaker isolation level leaves open, one sentence each
  std::uint32_t timeout_ms = 0;
  Output output = {};
  Audit audit = {};
  std::vector<ResourceLimit> resources = {};  // as in the policy: for the outcome
  std::vector<Enforcement> ledger = {};
  std::vector<Warning> warnings = {};
  std::vector<std::string> relaxations = {};  // what the policy opens: "shared-host-network"
  std::string command = {};                   // argv[0] inside the sandbox, for the audit log
  CommandShape shape = {};                    // for the audit log
  std::string cwd = {};                       // inside the sandbox, for the audit log
  GitSnapshot git = {};                       // as in the policy: for the end of the run
};

[[nodiscard]] std::string_view Name(Strength strength);

}  // namespace mxc
