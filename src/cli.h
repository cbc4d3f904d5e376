// The command line: MXC's flags with MXC's rules (contract 1.1, 1.2), and ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mxc/error.h"

namespace mxc {

// What a call asks for. Everything but kRun prints and ends; of several the last of these counts.
enum class Mode {
  kRun,
  kDryRun,
  kExplain,
  kPrepare,
  kRecover,
  kReap,
  kList,
  kDelete,
  kDiscover,
  kPrintSchema,
  kProfiles,
  kImport,
  kProbe,
  kAvailableBackends,
  kVerifyAudit,
  kSetupHyperlight,
  kOfReference,
  kVersion,
  kHelp,
};

// Whether the call first cleans up after interrupted runs.
[[nodiscard]] constexpr bool RecoversFirst(Mode mode) {
  return mode != Mode::kVersion && mode != Mode::kHelp;
}

[[nodiscard]] constexpr bool NeedsPolicy(Mode mode) {
  return mode == Mode::kRun || mode == Mode::kDryRun || mode == Mode::kExplain;
}

// A word that a flag has taken behind its first value: a configuration may have been meant.
struct FurtherWord {
  std::string flag = {};   // "--rw"
  std::string first = {};  // its first value
  std::string word = {};
};

// Of persistent sandboxes (verbs.h).
enum class Verb { kNone, kStart, kExec, kStop, kList };

struct Options {
  Mode mode = Mode::kRun;
  std::string help = {};  // for kHelp: "" or "all"

  // The configuration: base64 before --config before the positional; the others are not even opened.
  std::optional<std::string> config_base64 = {};
  std::optional<std::string> config_path = {};  // "-" is standard input
  std::optional<int> config_fd = {};
  std::string config_env = {};  // name of an environment variable

  // Behind `--`: with a configuration it replaces the command, without one it is the command.
  std::vector<std::string> command = {};
  // The policy of a run without a file, or what a run adds to its file. As written.
  std::vector<std::string> read_only = {};
  std::vector<std::string> read_write = {};
  std::vector<std::string> denied = {};
  std::vector<std::string> allowed_hosts = {};
  std::vector<std::string> published = {};
  std::vector<std::string> environment = {};
  std::vector<std::string> protect = {};
  std::vector<std::string> profiles = {};  // for kProfiles: "list", or "show" and names
  std::string cwd = {};
  std::string workspace = {};
  std::string review = {};
  std::string approve = {};  // the hash of what was refused, and may run once
  std::string base = {};     // "restrictive", "build" or "agent"
  std::string policy = {};   // a file without a command; `config_path` is the same then
  std::string timeout = {};
  std::string memory = {};
  std::string cpus = {};
  std::string tier = {};
  std::vector<FurtherWord> further_words = {};

  bool for_sdk = false;  // called by the name that an SDK looks for
  Verb verb = Verb::kNone;
  std::string sandbox = {};  // of exec and stop: its identifier, or how it begins
  bool background = false;   // of exec: nobody waits for the command
  bool foreground = false;   // of start: stays until the sandbox ends

  // Called as mxc-sh: `command` is a shell's, and the configuration says nothing of a command.
  bool shell = false;
  std::string policy_file = {};  // as it was written, to be judged; empty: it came in a variable
  // The file that the policy is read from (PolicyFileOf); "": none. Told once, at the start: a daemon
  // prepares again when it has given up the launcher's descriptors and its directory.
  std::string read_from = {};
  std::vector<std::string> variables = {};  // the caller's, passed on below those of the configuration

  std::vector<std::string> sockets = {};
  std::string tools = {};

  std::string containment = {};  // replaces the configuration's
  bool experimental = false;
  bool testing_features = false;
  bool allow_unsandboxed = false;
  bool debug = false;
  std::string log_file = {};
  std::optional<int> status_fd = {};
  std::string result_file = {};
  std::optional<int> lifeline_fd = {};
  std::optional<int> terminal_fd = {};
  bool quiet = false;
  std::optional<std::string> report = {};  // "" or "short"
  std::string form = {};  // of an answer: "text", "json", or empty for what is usual where it goes
  std::string schema_version = {};
  std::string discover = {};
  std::vector<std::string> audit_files = {};
  std::vector<std::string> audit_anchors = {};
  std::string import_file = {};
  std::string container_name = {};
  std::string asked = {};  // the flag, for kPrepare and kOfReference: "prepare-system-drive"
  std::string drive = {};
  std::string hyperlight = {};
  bool force = false;

  // Of Microsoft's program for Windows. A request's phase and sandbox, where its document does not say.
  std::string operation = {};
  std::string container_id = {};
  bool force_reclaim = false;
  std::vector<std::string> of_reference = {};  // what belongs to a flag that is refused

  [[nodiscard]] bool HasConfig() const {
    return config_base64 || config_path || config_fd || !config_env.empty();
  }
};

// Errors: kUsage (exit status 2), with a suggestion for a misspelt flag.
[[nodiscard]] Result<Options> ParseCommandLine(int argc, char** argv);

}  // namespace mxc
