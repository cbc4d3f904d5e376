// A Plan: how the sandbox is built and which mechanism enforces each clause, as data. A planner makes it from
// a Policy and a probe's answer alone; src/run runs it. On Linux `launch` holds the mounts, masks among them
// (LinuxSandbox::mounts), and `egress` the rules of the network gateway. Observation is no part of it:
// src/run sets up the seccomp notification with which --report sees files.
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

// Modes by which a second run on the same directory tells a placeholder from the user's file. No other empty
// file or directory is expected to have them.
inline constexpr std::uint32_t kPlaceholderMode = 01600;           // a file under a mask, for a denied path
inline constexpr std::uint32_t kPlaceholderFileMode = 01644;       // a readable file, for a protected path
inline constexpr std::uint32_t kPlaceholderDirectoryMode = 01755;  // a directory
// A directory with kPlaceholderDirectoryMode counts as a placeholder if it is empty or all its entries are
// placeholders, at most this many levels deep and this many in each directory. No run needs more.
inline constexpr int kPlaceholderLevels = 8;
inline constexpr std::size_t kPlaceholderEntries = 64;

// Contents of readable placeholders; each has the same effect on its readers as a missing file.
inline constexpr std::string_view kNoText = "";
inline constexpr std::string_view kOwnCommonDirectory = ".\n";  // `commondir` in a git directory
inline constexpr std::string_view kNextBashLogin = "[ ! -r ~/.bash_login ] || . ~/.bash_login\n";
inline constexpr std::string_view kNextProfile = "[ ! -r ~/.profile ] || . ~/.profile\n";
inline constexpr std::string_view kNextCshrc = "if ( -r ~/.cshrc ) source ~/.cshrc\n";
inline constexpr std::string_view kSystemsInputrc = "$include /etc/inputrc\n";
inline constexpr std::array kPlaceholderTexts = {kNoText,      kOwnCommonDirectory, kNextBashLogin,
                                                 kNextProfile, kNextCshrc,          kSystemsInputrc};

// A file or an empty directory, created below a read-write grant where a denied or protected path is missing,
// because a mount needs an existing target. Removed when the last sandbox that needs it has ended, even if
// the launcher was killed.
struct Placeholder {
  std::string path = {};
  // For a protected path: what programs read there. Absent for a denied path, whose placeholder is masked.
  std::optional<PlaceholderKind> placeholder_kind = {};
};

// A value for a file of a control group.
struct CgroupSetting {
  std::string file = {};
  std::string value = {};
  bool optional = false;  // some kernels lack this file; the limit holds without it
};

// A control group for the run, created below `parent` under a unique name. The child enters it before it does
// anything else. When the run has ended, the cleanup process kills what is still in it and removes it, even
// if the launcher was killed.
struct ControlGroup {
  std::string parent = {};
  bool unified = false;                       // version 2
  std::vector<std::string> controllers = {};  // version 2 only: the controllers that `settings` need
  std::vector<std::string> switch_on = {};    // controllers to enable in `parent` first; they stay enabled
  std::vector<CgroupSetting> settings = {};
  std::optional<ScopeRequest> scope = {};  // if set: a scope is created below `parent`, and the group in it
};

// A directory of mxc-exec's own, or for sockets, below a grant. The launcher creates it with its parents if
// it is missing, so that no command can create it first. It stays after the run: other runs use it.
struct OwnDirectory {
  std::string path = {};
  std::uint32_t mode = 0700;
};

// An action on the host before the sandbox starts. Undone after the run, except OwnDirectory and what
// `switch_on` enabled.
using SetupAction = std::variant<Placeholder, ControlGroup, OwnDirectory>;

// ---- the ledger ------------------------------------------------------------------------------------------

enum class Strength {
  kKernel,          // the kernel enforces it
  kTrustedProcess,  // "proxy" in output: gateway, launcher or cleanup process; the command cannot bypass it
  kCooperative,     // the program could ignore it
  kNone,            // nothing enforces it; the run is refused
};

// Which mechanism enforces a clause of the policy. Refusal rules: docs/policy/containment.md.
struct Enforcement {
  std::string pointer = {};
  Strength strength = Strength::kNone;
  std::string mechanism = {};  // "read-only bind mount"
};

// The part of a command that may be logged. Arguments may not: they can hold secrets.
struct CommandShape {
  std::string word = {};      // first word of a command line, when it is plainly a program's name or path
  std::size_t arguments = 0;  // argv[0] not counted
  std::size_t bytes = 0;      // of the command line, or of all arguments
};

struct Plan {
  std::string run = {};          // identifier of this run in its records; random
  std::string policy_hash = {};  // plan/policy_hash.h; empty where no policy was resolved
  Containment containment = Containment::kNone;
  Tier tier = Tier::kNone;                                 // of the containment as planned
  IsolationLevel isolation_level = IsolationLevel::kNone;  // "rung" in output
  std::vector<SetupAction> setup = {};                     // undone in reverse
  Launch launch = {};
  std::optional<EgressRules> egress = {};     // rules of the network gateway; absent: no gateway
  std::vector<std::string> not_covered = {};  // what a weaker isolation level leaves open, one sentence each
  std::uint32_t timeout_ms = 0;  // 0: none. MakePlan sets the policy's where the planner has left 0
  Output output = {};            // as in the policy
  Audit audit = {};              // as in the policy
  std::vector<ResourceLimit> resources = {};  // as in the policy: for the outcome
  std::vector<Enforcement> ledger = {};
  std::vector<Warning> warnings = {};
  std::vector<std::string> relaxations = {};  // defaults that the policy relaxes: "shared-host-network"
  std::string command = {};                   // argv[0] inside the sandbox, for the audit log
  CommandShape shape = {};                    // for the audit log
  std::string cwd = {};                       // inside the sandbox, for the audit log
  bool cwd_written = false;                   // persistent sandbox: `provision` named a cwd
  GitSnapshot git = {};                       // as in the policy: for the end of the run

  // Does nothing if `pointer` is empty: the policy does not write that default.
  void AddToLedger(const std::string& pointer, std::string mechanism, Strength strength = Strength::kKernel) {
    if (!pointer.empty()) ledger.push_back({pointer, strength, std::move(mechanism)});
  }
};

[[nodiscard]] std::string_view Name(Strength strength);

}  // namespace mxc
