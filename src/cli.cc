#include "cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/suggest.h"

namespace mxc {
namespace {

constexpr std::string_view kIntroduction =
    "Runs one command under a declared policy: which paths it may read and write, which hosts it may reach.\n"
    "\n"
    "  mxc-exec CONFIG.json                      run the command of a configuration\n"
    "  mxc-exec CONFIG.json -- CMD ARGS...       the same policy, another command\n"
    "  mxc-exec --rw . --deny .env -- npm test   a policy without a file\n"
    "  mxc-exec --explain CONFIG.json            what would be enforced, and how";

constexpr std::string_view kFooter =
    "Exit status: the command's own; 128+N when signal N ended it; 255 when mxc-exec could not run it or it\n"
    "timed out; 1 for a configuration that is not valid; 2 for a command line that is not.";

struct NamedFlag {
  const char* name;
  const char* text;
};
// For Windows. MXC has them in a program of their own.
constexpr NamedFlag kDrivePreparations[] = {
    {"prepare-system-drive", "Windows, as administrator: AppContainers may look at the root of the drive"},
    {"unprepare-system-drive", "take that back"}};
constexpr NamedFlag kNullPreparations[] = {
    {"prepare-null-device", "Windows, as administrator: AppContainers may open NUL, until the next start"},
    {"verify-null-device", "say whether they may"},
    {"dump-null-device", "print the security descriptor of NUL"}};

// Flags that end the run early, in the order in which they win.
struct ModeFlags {
  bool dry_run = false;
  std::string explain = {};
  bool probe = false;
  bool available = false;
  bool destroy = false;
  bool list = false;
  bool reap = false;
  bool recover = false;
  bool null_device = false;
  std::string hyperlight = {};
  bool force = false;
  bool version = false;
};

struct Flags {
  Options options = {};
  ModeFlags modes = {};
  std::string config_flag = {};
  std::string base64 = {};
  std::string positional = {};
  int config_fd = -1;
  int status_fd = -1;
};

void AddConfigurationFlags(CLI::App& app, Flags& flags) {
  const std::string group = "Configuration";
  app.add_option("CONFIG_PATH", flags.positional, "JSON configuration; - reads standard input");
  app.add_option("--config", flags.config_flag, "JSON configuration, wins over CONFIG_PATH")
      ->type_name("PATH")
      ->group(group);
  app.add_option("--config-base64", flags.base64, "JSON configuration as base64, wins over both")
      ->type_name("BASE64")
      ->group(group);
  app.add_option("--config-fd", flags.config_fd, "read the configuration from this descriptor")
      ->type_name("N")
      ->group(group);
  app.add_option("--config-env", flags.options.config_env,
                 "read the configuration from this environment variable")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--containment", flags.options.containment,
                 "use this containment, whatever the configuration says")
      ->type_name("NAME")
      ->group(group);
  app.add_flag("--experimental", flags.options.experimental, "allow experimental containments")->group(group);
  app.add_flag("--allow-testing-features", flags.options.testing_features,
               "accept network.proxy.builtinTestServer")
      ->group(group);
  app.add_flag("--allow-unsandboxed", flags.options.allow_unsandboxed,
               "allow containment \"none\": no isolation at all")
      ->group(group);
}

void AddPolicyFlags(CLI::App& app, Flags& flags) {
  const std::string group = "Policy of a run without a file (before -- CMD ARGS...)";
  const auto list = [&](const char* name, std::vector<std::string>& target, const char* type,
                        const char* text) {
    app.add_option(name, target, text)->type_name(type)->allow_extra_args(false)->group(group);
  };
  list("--ro", flags.options.read_only, "PATH", "readable");
  list("--rw", flags.options.read_write, "PATH", "readable and writable");
  list("--deny", flags.options.denied, "PATH", "hidden, also below --ro and --rw");
  list("--allow-host", flags.options.allowed_hosts, "HOST[:PORT]",
       "host name or CIDR that may be reached, at one port or at all");
  list("--env", flags.options.environment, "NAME=VALUE", "environment variable, on top of the default ones");
  app.add_option("--cwd", flags.options.cwd, "working directory of the command")
      ->type_name("PATH")
      ->group(group);
  app.add_option("--timeout", flags.options.timeout_ms, "end the command after so many milliseconds")
      ->type_name("MS")
      ->group(group);
}

void AddReportingFlags(CLI::App& app, Flags& flags) {
  const std::string group = "Reporting";
  app.add_option("--status-fd", flags.status_fd, "write status as JSON lines to this descriptor")
      ->type_name("N")
      ->group(group);
  app.add_option("--result", flags.options.result_file, "write the same lines to this file")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--report", flags.options.report,
               "say on standard error, at the end, which files and hosts the policy refused")
      ->group(group);
  app.add_flag("--debug", flags.options.debug, "print the log on standard output")->group(group);
  app.add_option("--log-file", flags.options.log_file, "append the log to this file")
      ->type_name("PATH")
      ->group(group);
}

void AddInquiryFlags(CLI::App& app, Flags& flags) {
  const std::string group = "Questions (nothing is run)";
  app.add_flag("--dry-run", flags.modes.dry_run, "check the configuration against this host")->group(group);
  app.add_flag("--explain{text}", flags.modes.explain,
               "show policy, plan and ledger; --explain=json for programs")
      ->group(group);
  app.add_flag("--probe", flags.modes.probe, "try every backend and say what works, as JSON")->group(group);
  app.add_flag("--available-backends", flags.modes.available, "list the usable backends, as JSON")
      ->group(group);
  app.add_option("--print-schema", flags.options.schema_version, "print the JSON Schema of a version")
      ->type_name("[VERSION]")
      ->expected(0, 1)
      ->group(group);
  app.add_option("--discover", flags.options.discover, "print a policy fragment: tools, profile or temp")
      ->type_name("WHAT")
      ->group(group);
  app.add_flag("--version", flags.modes.version, "print the version")->group(group);
}

void AddHousekeepingFlags(CLI::App& app, Flags& flags) {
  const std::string group = "Housekeeping";
  app.add_flag("--list", flags.modes.list, "list your provisioned sandboxes, as JSON")->group(group);
  app.add_flag("--reap", flags.modes.reap, "clear away sandboxes whose daemon was killed")->group(group);
  app.add_flag("--delete", flags.modes.destroy, "delete the LXC container named by --containername")
      ->group(group);
  app.add_option("--containername", flags.options.container_name, "name for --delete")
      ->type_name("NAME")
      ->group(group);
  app.add_flag("--recover", flags.modes.recover,
               "take back what runs that were killed have left on this machine")
      ->group(group);
  for (const NamedFlag& flag : kDrivePreparations) {
    app.add_option("--" + std::string(flag.name), flags.options.drive, flag.text)
        ->type_name("[DRIVE]")
        ->expected(0, 1)
        ->group(group);
  }
  for (const NamedFlag& flag : kNullPreparations)
    app.add_flag("--" + std::string(flag.name), flags.modes.null_device, flag.text)->group(group);
  auto* setup =
      app.add_flag("--setup-hyperlight{agent}", flags.modes.hyperlight, "prepare Hyperlight runtimes")
          ->group(group);
  app.add_flag("--force", flags.modes.force, "set up again what is there")->needs(setup)->group(group);
}

// The first of them that is given.
std::string GivenPreparation(const CLI::App& app) {
  const auto given = [&app](const NamedFlag& flag) { return app.count("--" + std::string(flag.name)) > 0; };
  for (const NamedFlag& flag : kDrivePreparations) {
    if (given(flag)) return flag.name;
  }
  for (const NamedFlag& flag : kNullPreparations) {
    if (given(flag)) return flag.name;
  }
  return "";
}

Mode ChooseMode(const CLI::App& app, const Flags& flags) {
  if (!flags.modes.hyperlight.empty()) return Mode::kSetupHyperlight;
  if (flags.modes.available) return Mode::kAvailableBackends;
  if (flags.modes.probe) return Mode::kProbe;
  if (app.count("--print-schema") > 0) return Mode::kPrintSchema;
  if (app.count("--discover") > 0) return Mode::kDiscover;
  if (flags.modes.destroy) return Mode::kDelete;
  if (flags.modes.list) return Mode::kList;
  if (flags.modes.reap) return Mode::kReap;
  if (flags.modes.recover) return Mode::kRecover;
  if (!flags.options.prepare.empty()) return Mode::kPrepare;
  if (!flags.modes.explain.empty()) return Mode::kExplain;
  return flags.modes.dry_run ? Mode::kDryRun : Mode::kRun;
}

Error Usage(std::string message, std::string hint = "see mxc-exec --help") {
  return {.code = ErrorCode::kUsage, .message = std::move(message), .hint = std::move(hint)};
}

// CLI11's complaint, with the flag the user probably meant.
Error Explain(const CLI::App& app, const CLI::ParseError& problem) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> candidates{names.begin(), names.end()};
  const std::vector<std::string> extras = app.remaining();
  for (const std::string& extra : extras) {
    if (extra.rfind('-', 0) != 0)
      return Usage("unexpected argument '" + extra + "'", "put a command behind --");
    const std::string nearest = Nearest(extra.substr(0, extra.find('=')), candidates);
    return Usage("unknown option '" + extra + "'",
                 nearest.empty() ? "see mxc-exec --help" : "did you mean " + nearest + "?");
  }
  return Usage(problem.what());
}

bool HasPolicyFlags(const Options& options) {
  return !options.read_only.empty() || !options.read_write.empty() || !options.denied.empty() ||
         !options.allowed_hosts.empty() || !options.environment.empty() || !options.cwd.empty() ||
         options.timeout_ms != 0;
}

Result<Options> Finish(const CLI::App& app, Flags flags) {
  Options& options = flags.options;
  options.prepare = GivenPreparation(app);
  options.mode = ChooseMode(app, flags);
  if (app.count("--config-base64") > 0) {
    options.config_base64 = flags.base64;
  } else if (app.count("--config") > 0) {
    options.config_path = flags.config_flag;
  } else if (app.count("--config-fd") > 0) {
    options.config_fd = flags.config_fd;
  } else if (app.count("CONFIG_PATH") > 0 && options.config_env.empty()) {
    options.config_path = flags.positional;
  }
  for (const auto& [name, file] :
       {std::pair{"--result", &options.result_file}, std::pair{"--log-file", &options.log_file}}) {
    if (app.count(name) > 0 && file->empty()) return Usage(std::string(name) + " needs the path of a file");
  }
  if (app.count("--status-fd") > 0) options.status_fd = flags.status_fd;
  if (options.mode == Mode::kExplain) {
    if (flags.modes.explain != "text" && flags.modes.explain != "json") {
      return Usage("--explain takes text or json, not '" + flags.modes.explain + "'",
                   "did you mean --explain=json?");
    }
    options.explain_json = flags.modes.explain == "json";
  }
  if (HasPolicyFlags(options) && options.HasConfig()) {
    return Usage(
        "--ro, --rw, --deny, --allow-host, --env, --cwd and --timeout make the policy of a run without a "
        "file",
        options.config_path && app.count("CONFIG_PATH") > 0
            ? "each --ro, --rw and --deny takes one path, and is repeated for another: '" +
                  *options.config_path + "' is taken for a configuration"
            : "write them into the configuration, or leave the configuration out");
  }
  if (HasPolicyFlags(options) && options.command.empty())
    return Usage("no command to run", "put it behind --");
  return std::move(options);
}

void Describe(CLI::App& app, Flags& flags) {
  app.name("mxc-exec");
  app.footer(std::string{kFooter});
  app.set_help_flag("-h,--help", "print this help");
  app.get_formatter()->column_width(34);
  AddConfigurationFlags(app, flags);
  AddPolicyFlags(app, flags);
  AddReportingFlags(app, flags);
  AddInquiryFlags(app, flags);
  AddHousekeepingFlags(app, flags);
}

// A file, or what the SDKs write. Building the parser would be a third of our own time.
std::optional<Options> UsualCall(const std::vector<std::string_view>& arguments) {
  const bool base64 = arguments.size() == 2 && arguments[0] == "--config-base64";
  if (arguments.size() != 1 && !base64) return std::nullopt;
  const std::string_view value = arguments.back();
  if (value.empty() || value.starts_with('-')) return std::nullopt;
  Options options;
  (base64 ? options.config_base64 : options.config_path) = std::string(value);
  return options;
}

}  // namespace

Result<Options> ParseCommandLine(int argc, char** argv) {
  if (std::optional<Options> usual = UsualCall({argv + 1, argv + argc})) return *std::move(usual);
  Flags flags;
  CLI::App app{std::string{kIntroduction}};
  Describe(app, flags);

  // The command behind `--` is not ours to interpret.
  const std::vector<std::string> arguments{argv + 1, argv + argc};
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> ours{arguments.begin(), separator};
  if (separator != arguments.end()) {
    flags.options.command.assign(separator + 1, arguments.end());
    if (flags.options.command.empty()) return Usage("no command behind --");
  }
  std::reverse(ours.begin(), ours.end());  // CLI11 takes them from the back
  try {
    app.parse(ours);
  } catch (const CLI::CallForHelp&) {
    Options options;
    options.mode = Mode::kPrinted;
    options.text = app.help();
    return options;
  } catch (const CLI::ParseError& problem) {
    return Explain(app, problem);
  }
  if (flags.modes.version) {
    Options options;
    options.mode = Mode::kPrinted;
    options.text = "mxc-exec " MXC_VERSION "\n";
    return options;
  }
  return Finish(app, std::move(flags));
}

}  // namespace mxc
