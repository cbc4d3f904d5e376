// A Plan: what will be done, as data. A planner makes it from a Policy and what a probe found, and
// consults nothing else; src/run runs plans. Masks and other mounts are part of its `launch`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

// Modes that mark a placeholder, so that a second run on the same directory does not mistake it for the
// user's. No other empty file or directory is expected to have them.
inline constexpr std::uint32_t kPlaceholderMode = 01600;
inline constexpr std::uint32_t kPlaceholderFileMode = 01644;  // readable: to a program it is an empty file
inline constexpr std::uint32_t kPlaceholderDirectoryMode = 01755;
// A directory of that mode is one with nothing in it but placeholders, so deep and so many in each: no
// protected name stands deeper below the first directory that is missing, and no run holds more in one.
inline constexpr int kPlaceholderLevels = 8;
inline constexpr std::size_t kPlaceholderEntries = 64;

// What a placeholder holds whose name programs read: to them each means the same as no file.
inline constexpr std::string_view kNoText = "";
inline constexpr std::string_view kOwnCommonDirectory = ".\n";  // of a git directory
inline constexpr std::string_view kNextBashLogin = "[ ! -r ~/.bash_login ] || . ~/.bash_login\n";
inline constexpr std::string_view kNextProfile = "[ ! -r ~/.profile ] || . ~/.profile\n";
inline constexpr std::string_view kNextCshrc = "if ( -r ~/.cshrc ) source ~/.cshrc\n";
inline constexpr std::string_view kSystemsInputrc = "$include /etc/inputrc\n";
inline constexpr std::array kPlaceholderTexts = {kNoText,      kOwnCommonDirectory, kNextBashLogin,
                                                 kNextProfile, kNextCshrc,          kSystemsInputrc};

// A file or an empty directory, created below a read-write grant where a denied or protected path is missing,
// because a mount needs an existing target. Removed when the last sandbox that needs it has ended, also when
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

// A control group for the run, created below `parent` under a unique name. The child enters it before it
// does anything else; removed with whatever is still in it when the run has ended, also when the launcher was
// killed.
struct ControlGroup {
  std::string parent = {};
  bool unified = false;                       // version 2
  std::vector<std::string> controllers = {};  // version 2 only: those that `settings` need
  std::vector<std::string> switch_on = {};    // those still to be enabled in `parent`; they stay so
  std::vector<CgroupSetting> settings = {};
  std::optional<ScopeRequest> scope = {};  // if set: made below `parent` first, the group inside it
};

// A control group that was made for a run or for a persistent sandbox.
struct RunGroup {
  ControlGroup plan = {};
  std::string directory = {};  // "PARENT/mxc-0123456789abcdef"
  std::string scope = {};      // "PARENT/mxc-0123456789abcdef.scope", when that is what it is made in
  [[nodiscard]] const std::string& Above() const { return scope.empty() ? plan.parent : scope; }
  // Where the processes are. In version 2 one level below: a group that hands a controller down keeps it, so
  // that nobody can switch a limit off by switching the controller off above us.
  [[nodiscard]] std::string Inner() const { return plan.unified ? directory + "/run" : directory; }
};

// One of mxc-exec's own directories below a grant, created with its parents if missing, so that no command
// can create it first. Kept afterwards: other runs use it.
struct OwnDirectory {
  std::string path = {};
  std::uint32_t mode = 0700;
};

// Undone after the run, except OwnDirectory and what `switch_on` enabled.
using Step = std::variant<Placeholder, ControlGroup, OwnDirectory>;

// ---- the ledger ------------------------------------------------------------------------------------------

enum class Strength {
  kKernel,       // the kernel holds it
  kProxy,        // our gateway or the launcher enforces it, and the command cannot bypass it
  kCooperative,  // the program could ignore it
  kNone,         // nothing holds it; the run is refused
};

// Which mechanism enforces a clause of the policy. Refusal rules: docs/policy.md.
struct Enforcement {
  std::string pointer = {};
  Strength strength = Strength::kNone;
  std::string mechanism = {};
};

// The part of a command that may be logged. Its arguments may not: they can hold secrets.
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
  std::uint32_t timeout_ms = 0;               // a planner may set less than the policy says; 0: the policy's
  Output output = {};
  Audit audit = {};
  std::vector<ResourceLimit> resources = {};  // as in the policy: for the outcome
  std::vector<RunGroup> groups = {};          // of the persistent sandbox that the command is for: the same
  std::vector<Enforcement> ledger = {};
  std::vector<Warning> warnings = {};
  std::vector<std::string> relaxations = {};  // what the policy opens: "shared-host-network"
  std::string command = {};                   // argv[0] inside the sandbox, for the audit log
  CommandShape shape = {};                    // for the audit log
  std::string cwd = {};                       // inside the sandbox, for the audit log
  bool cwd_written = false;                   // of a persistent sandbox: by whoever provisioned it
  GitSnapshot git = {};                       // as in the policy: for the end of the run

  // An entry of the ledger. None for what stands nowhere in the policy: `pointer` is empty.
  void Hold(const std::string& pointer, std::string mechanism, Strength strength = Strength::kKernel) {
    if (!pointer.empty()) ledger.push_back({pointer, strength, std::move(mechanism)});
  }
};

[[nodiscard]] std::string_view Name(Strength strength);

}  // namespace mxc
