#include "flag_table.h"

namespace mxc {
namespace {

using enum FlagGroup;
using enum HelpPage;

constexpr std::monostate kNoValue;

constexpr Flag kFlags[] = {
    {"ro", "PATH...", "readable", kPolicy, &Options::read_only, kFirstPage},
    {"rw", "PATH...", "readable and writable", kPolicy, &Options::read_write, kFirstPage},
    {"deny", "PATH...", "hidden, also below --ro and --rw", kPolicy, &Options::denied, kFirstPage},
    {"allow-host", "HOST...", "name or CIDR it may reach; HOST:PORT at one port", kPolicy,
     &Options::allowed_hosts, kFirstPage},
    {"publish", "PORT...", "8080:80: port 8080 of this host leads to 80 inside", kPolicy, &Options::published,
     kFirstPage},
    {"env", "NAME[=VALUE]...", "set a variable, or pass yours in", kPolicy, &Options::environment,
     kFirstPage},
    {"profile", "NAME...", "what a tool needs: node, git, ...; list, show NAME", kPolicy, &Options::profiles,
     kFirstPage},
    {"cwd", "DIR", "where the command starts", kPolicy, &Options::cwd},
    {"workspace", "DIR[:PATH]", "writable, and under another path inside: /workspace, or PATH", kPolicy,
     &Options::workspace},
    {"timeout", "TIME", "end it after 90s, 5m or 2h; a bare number is ms", kPolicy, &Options::timeout,
     kFirstPage},
    {"memory", "SIZE", "all its processes together: 512M, 2G", kPolicy, &Options::memory, kFirstPage},
    {"cpus", "NUMBER", "processors' worth of time: 1.5", kPolicy, &Options::cpus},
    {"protect", "NAME...", "also keep these read-only below --rw: git (the default), shell, editors, agents",
     kPolicy, &Options::protect},
    {"socket", "PATH...", "Unix socket of this host that it may connect to", kPolicy, &Options::sockets},
    {"tools", "NAME", "inherit: your PATH's toolchains, read-only; system: none", kPolicy, &Options::tools},
    {"review", "NAME", "destructive: commands that destroy wait for --approve", kPolicy, &Options::review},
    {"approve", "HASH", "run this once what --review has refused", kPolicy, &Options::approve},
    {"tier", "NAME", "refuse weaker isolation than process, container or virtual-machine", kPolicy,
     &Options::tier},

    {"config", "FILE", "JSON configuration, - for standard input; wins over one without a flag",
     kConfiguration, &Options::config_path},
    {"policy", "FILE",
     "a configuration without a command, or a policy of the SDKs: the command stands behind --",
     kConfiguration, &Options::policy},
    {"base", "NAME", "a generated one for the command: restrictive, build or agent", kConfiguration,
     &Options::base},
    {"config-base64", "BASE64", "the configuration itself, wins over both", kConfiguration,
     &Options::config_base64},
    {"config-fd", "N", "read it from this descriptor", kConfiguration, &Options::config_fd},
    {"config-env", "NAME", "read it from this environment variable", kConfiguration, &Options::config_env},
    {"containment", "NAME", "use this containment, whatever the configuration says", kConfiguration,
     &Options::containment},
    {"experimental", "", "allow experimental containments", kConfiguration, &Options::experimental},
    {"allow-testing-features", "", "accept network.proxy.builtinTestServer", kConfiguration,
     &Options::testing_features, kHidden},
    {"allow-unsandboxed", "", "allow containment \"none\": no isolation at all", kConfiguration,
     &Options::allow_unsandboxed},

    {"report", "[=short]", "list at the end what was refused and how to allow it", kReporting,
     &Options::report, kFirstPage},
    {"status-fd", "N", "write status as JSON lines to this descriptor", kReporting, &Options::status_fd},
    {"result", "FILE", "write the same lines to this file", kReporting, &Options::result_file},
    {"quiet", "", "say nothing on standard error: --status-fd and --result tell", kReporting,
     &Options::quiet},
    {"json-errors", "", "end standard error with the error as JSON on a terminal too", kReporting},
    {"debug", "", "print the log on standard output", kReporting, &Options::debug},
    {"log-file", "FILE", "append the log to this file", kReporting, &Options::log_file},

    {"lifeline-fd", "N", "end all at once when nobody has the pipe behind it open to write", kCallers,
     &Options::lifeline_fd},
    {"terminal-fd", "N", "give the command the terminal whose outer side this is", kCallers,
     &Options::terminal_fd},

    {"explain", "[=json]", "show what would be enforced, and how; run nothing", kQuestions, &Options::form,
     kFirstPage, Mode::kExplain},
    {"dry-run", "", "check the policy against this machine; run nothing", kQuestions, kNoValue, kAllPages,
     Mode::kDryRun},
    {"probe", "[=json]", "try out what works here: a table, JSON in a pipe", kQuestions, &Options::form,
     kFirstPage, Mode::kProbe},
    {"available-backends", "[=json]", "the usable backends: a table, JSON in a pipe", kQuestions,
     &Options::form, kAllPages, Mode::kAvailableBackends},
    {"print-schema", "[VERSION]", "print the JSON Schema of a version", kQuestions, &Options::schema_version,
     kAllPages, Mode::kPrintSchema},
    {"discover", "WHAT", "print a policy fragment: tools, profile or temp", kQuestions, &Options::discover,
     kAllPages, Mode::kDiscover},
    {"audit-verify", "FILE...",
     "is an audit log as it was written? of a rotated one all files, the oldest first", kQuestions,
     &Options::audit_files, kAllPages, Mode::kVerifyAudit},
    {"audit-anchor", "HASH...", "... and are these lines still in it? an earlier answer's \"head\"",
     kQuestions, &Options::audit_anchors},
    {"import", "FILE",
     "print another program's policy as one of ours: settings of srt or Claude Code, Codex's config.toml",
     kQuestions, &Options::import_file, kAllPages, Mode::kImport},
    {"version", "", "print the version", kQuestions, kNoValue, kAllPages, Mode::kVersion, 'V'},
    {"help", "[=all]", "print this page, or every flag", kQuestions, &Options::help, kAllPages, Mode::kHelp,
     'h'},

    {"background", "", "of exec: return when the command runs; its streams are /dev/null", kHousekeeping,
     &Options::background},
    {"foreground", "", "of start: stay until the sandbox ends, which ends with this process", kHousekeeping,
     &Options::foreground},
    {"list", "[=json]", "your persistent sandboxes: a table, JSON in a pipe", kHousekeeping, &Options::form,
     kAllPages, Mode::kList},
    {"reap", "",
     "clear away what killed sandboxes and runs left; with a configuration, claims of its cluster",
     kHousekeeping, kNoValue, kAllPages, Mode::kReap},
    {"delete", "", "delete the LXC container named by --containername", kHousekeeping, kNoValue, kAllPages,
     Mode::kDelete},
    {"containername", "NAME", "name for --delete", kHousekeeping, &Options::container_name},
    {"recover", "", "take back what runs that were killed have left on this machine", kHousekeeping, kNoValue,
     kAllPages, Mode::kRecover},
    {"setup-hyperlight", "[=agent]", "prepare Hyperlight runtimes", kHousekeeping, &Options::hyperlight,
     kHidden, Mode::kSetupHyperlight},
    {"force", "", "set up again what is there", kHousekeeping, &Options::force, kHidden},

    // MXC has these in a program of their own.
    {"prepare-system-drive", "[DRIVE]", "AppContainers may look at the root of the drive", kWindows,
     &Options::drive, kAllPages, Mode::kPrepare},
    {"unprepare-system-drive", "[DRIVE]", "take that back", kWindows, &Options::drive, kAllPages,
     Mode::kPrepare},
    {"prepare-null-device", "", "AppContainers may open NUL, until the next start", kWindows, kNoValue,
     kAllPages, Mode::kPrepare},
    {"verify-null-device", "", "say whether they may", kWindows, kNoValue, kAllPages, Mode::kPrepare},
    {"dump-null-device", "", "print the security descriptor of NUL", kWindows, kNoValue, kAllPages,
     Mode::kPrepare},

    // Clients call Microsoft's program for Windows with these.
    {"operation", "PHASE", "the phase of a request that names none", kWindows, &Options::operation, kHidden},
    {"container-id", "ID", "the sandbox of a request that names none", kWindows, &Options::container_id,
     kHidden},
    {"force-reclaim", "", "without effect: only machines of mxc-exec are ended", kWindows,
     &Options::force_reclaim, kHidden},
    {"audit", "", "refused: there is no trace to read", kWindows, kNoValue, kHidden, Mode::kOfReference},
    {"audit-verbose", "", "refused with --audit", kWindows, kNoValue, kHidden, Mode::kOfReference},
    {"setup-wslc", "", "refused: no image is fetched", kWindows, kNoValue, kHidden, Mode::kOfReference},
    {"image", "REF...", "of --setup-wslc", kWindows, &Options::of_reference, kHidden},
    {"storage-path", "PATH", "of --setup-wslc", kWindows, &Options::of_reference, kHidden},
    {"wslc-daemon-slots", "N", "of --setup-wslc", kWindows, &Options::of_reference, kHidden},
    {"telemetry-consent", "ACTION", "nothing is ever sent", kWindows, &Options::of_reference, kHidden,
     Mode::kOfReference},
    {"telemetry-consent-locale", "LOCALE", "of --telemetry-consent", kWindows, &Options::of_reference,
     kHidden},
};

}  // namespace

std::span<const Flag> AllFlags() { return kFlags; }

std::string_view TitleOf(FlagGroup group) {
  switch (group) {
    case kPolicy:
      return "Policy: of a run without a configuration, or added to the one of a file";
    case kConfiguration:
      return "Configuration";
    case kReporting:
      return "Reporting";
    case kCallers:
      return "Programs that start mxc-exec";
    case kQuestions:
      return "Questions: nothing is run";
    case kHousekeeping:
      return "Housekeeping";
    case kWindows:
      return "Preparations of Windows, as administrator";
  }
  return "";
}

FlagValues ValuesOf(const Flag& flag) {
  if (flag.value.empty()) return FlagValues::kNone;
  if (flag.value.starts_with("[=")) return FlagValues::kAttached;
  if (flag.value.starts_with('[')) return FlagValues::kOptional;
  return flag.value.ends_with("...") ? FlagValues::kSeveral : FlagValues::kOne;
}

}  // namespace mxc
