// A Config: what the user wrote, in one newest shape. Decode produces it from every dialect; Resolve gives it
// meaning.
//
// Nothing here has been checked against the machine: paths are text, the containment may be an intent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mxc/containment.h"
#include "mxc/error.h"
#include "mxc/json.h"
#include "mxc/network.h"
#include "mxc/output.h"
#include "mxc/resource.h"
#include "mxc/sandbox/workspace.h"
#include "mxc/secret.h"
#include "mxc/ui.h"

namespace mxc {

// The accepted models of a document (contract 3.1). One model serves every version in its range.
enum class Dialect {
  kLegacy,       // no version, or 0.4 .. 0.7
  kDirectional,  // 0.8 and 0.9
  kContract09,   // exactly "0.9.0-alpha"
  kContract10,   // exactly "1.0.0"
  kContract11,   // exactly "1.1.0-alpha"
};

// What `containment` asked for. An intent is resolved per operating system; a name means exactly itself.
enum class Intent { kProcess, kVm, kMicrovm, kAuto, kConcrete };

struct PathEntry {
  std::string path = {};  // as written: absolute in POSIX or Windows style
  std::string pointer = {};
};

// Sets of files that stay unwritable inside read-write grants.
enum class Preset { kGit, kShell, kEditors, kAgents };

struct PresetEntry {
  Preset preset = Preset::kGit;
  std::string pointer = {};
  // Of kGit: configurations of repositories may be written, for keys that execute nothing.
  bool safe_config = false;
  bool required = false;  // by a ceiling: a grant of what it protects does not count
};

struct ProcessConfig {
  std::string command_line = {};  // one of command_line and argv is set
  std::vector<std::string> argv = {};
  std::string cwd = {};  // absolute, or empty
  std::string cwd_pointer = {};
  Workspace workspace = {};                               // as written: neither path has been looked at
  std::optional<std::vector<Variable>> environment = {};  // absent: the default environment
  bool inherit_default_environment = false;               // lay `environment` over the default
  std::uint32_t timeout_ms = 0;
  std::string timeout_pointer = {};
};

// What a lifecycle request asks for; a document without a phase runs its command once.
enum class Phase { kProvision, kStart, kExec, kStop, kDeprovision };

// How long a sandbox stays; 0: for ever.
struct SessionConfig {
  std::uint64_t idle_timeout_ms = 86400000;  // without a command running in it
  std::uint64_t lifetime_ms = 0;
  std::string idle_timeout_pointer = {};  // empty: not written
  std::string lifetime_pointer = {};
};

struct ContainmentSection {
  Containment containment = Containment::kNone;
  Json section = {};  // as written
};

// The file that a program which mxc-exec starts on the host has to be.
struct HelperPin {
  std::string name = {};    // "bwrap"
  std::string sha256 = {};  // 64 hexadecimal digits, in small letters
  std::string pointer = {};
  bool of_operator = false;  // stands in the ceiling
};

struct Config {
  Dialect dialect = Dialect::kLegacy;
  std::string version = {};  // as written; empty when absent
  std::string container_id = {};
  std::optional<Phase> phase = {};
  std::string sandbox_id = {};  // of every phase but provision
  SessionConfig session = {};
  Intent intent = Intent::kProcess;
  Containment containment = Containment::kBubblewrap;  // meaningful for Intent::kConcrete
  std::string containment_pointer = {};                // empty when the key is absent
  ProcessConfig process = {};
  std::vector<PathEntry> read_write = {};
  std::vector<PathEntry> read_only = {};
  std::vector<PathEntry> denied = {};
  std::vector<PresetEntry> protect = {{Preset::kGit, "/filesystem/protect"}};  // the default
  bool protect_written = false;
  std::vector<PathEntry> repositories = {};
  bool repositories_written = false;      // an empty list says that there are none
  std::vector<PathEntry> sockets = {};    // paths, or "$NAME" for what a variable of the caller's names
  std::string private_temp_pointer = {};  // of `temp`: "private"; "shared" is a read-write path
  std::string tools_pointer =
      {};  // of `tools`: "inherit": the caller's toolchains show; empty: the system's alone
  Network network = {};
  bool network_written = false;  // the document has a network section
  Ui ui = {};
  Output output = {};
  std::string output_pointer = {};
  Audit audit = {};
  std::string audit_pointer = {};
  std::vector<ResourceLimit> resources = {};
  std::vector<HelperPin> helpers = {};
  std::string verify_pointer = {};  // of the ceiling: no helper is executed without a pin of the operator's
  std::string review_pointer = {};  // of `review`: commands that destroy wait for an approval
  Tier minimum_tier = Tier::kNone;
  std::string minimum_tier_pointer = {};
  bool destroy_on_exit = true;
  bool acl_changes_allowed = true;
  bool bfs_allowed = false;
  bool loopback_exemption_allowed = false;
  bool policy_preserved = false;
  Json backend_section = {};  // section of the containment, as written; kNull when absent
  // Of Intent::kAuto (isolation_fallback.h): what it tries, in this order, and sections of these.
  std::vector<Containment> order = {};  // empty: the strongest on this system
  std::vector<ContainmentSection> sections = {};
  std::string choice = {};          // why the containment that was chosen
  std::vector<Warning> notes = {};  // tolerated keys, dropped entries: for the log
};

}  // namespace mxc
