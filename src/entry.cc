#include "entry.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "app.h"
#include "base/own_files.h"
#include "base/terminal.h"
#include "cli.h"
#include "host/host.h"
#include "read_request.h"
#include "report/report.h"
#include "run_report.h"
#include "shell/shell_call.h"
#include "shell/shell_policy.h"
#include "spawn/lifeline.h"
#include "verbs.h"

namespace mxc {
namespace {

// Whatever standard error is. Asked before the command line is judged: what is wrong with that is told, too.
bool ProgramsReadErrors(int argc, char** argv) {
  const std::vector<std::string_view> arguments{argv, argv + argc};
  if (arguments.empty()) return false;
  if (CalledBySdk(arguments[0])) return true;
  const auto command = std::find(arguments.begin(), arguments.end(), "--");
  // SDKs give configurations as base64, and some give us a terminal.
  return std::any_of(arguments.begin(), command, [](std::string_view word) {
    return word == "--json-errors" || word.starts_with("--config-base64");
  });
}

// As mxc-sh. There is no place for a flag.
Result<Options> ShellOptions(int argc, char** argv, const Host& host) {
  Result<ShellPolicy> policy = FindShellPolicy(host);
  if (!policy) return policy.error();
  Options options{.command = CommandOfShellCall(argv[0], {argv + 1, argv + argc}, host),
                  .shell = true,
                  .policy_file = std::move(policy->written),
                  .variables = ShellVariables(host),
                  .report = "short"};
  if (policy->path.empty()) {
    options.config_env = kPolicyVariable;
  } else {
    options.config_path = std::move(policy->path);
  }
  return options;
}

// What the program that calls wants of this process, before anything is done.
Status Obey(const Options& options) {
  if (options.quiet) KeepQuiet();
  if (options.terminal_fd) {
    if (Status given = GiveTerminal(*options.terminal_fd); !given) return given;
  }
  if (!options.lifeline_fd) return Done{};
  return TieTo(*options.lifeline_fd, {options.config_fd.value_or(-1), options.status_fd.value_or(-1),
                                      options.terminal_fd.value_or(-1)});
}

int RefuseToStart(const Error& error) {
  PrintError(error);
  return ExitStatus(error.code);
}

}  // namespace

int RunMain(int argc, char** argv) {
  IgnoreFileSizeLimit();
  const bool shell = argc > 0 && IsShellName(argv[0]);
  if (shell) {
    PrintErrorsInALine("mxc-sh");
  } else if (ProgramsReadErrors(argc, argv)) {
    PrintErrorsForPrograms();
  }
  try {
    const std::unique_ptr<Host> host = ThisHost();
    // Before its policy is looked for: a command can have written that.
    if (shell) RecoverAndReport(false);
    Result<Options> options = shell ? ShellOptions(argc, argv, *host) : ParseCommandLine(argc, argv);
    if (!options) return RefuseToStart(options.error());
    options->read_from = PolicyFileOf(*options, *host);
    const Status obeyed = Obey(*options);
    return obeyed ? RunApp(*options, *host) : RefuseToStart(obeyed.error());
  } catch (const std::exception& exception) {
    return RefuseToStart({.code = ErrorCode::kInternal, .message = exception.what()});
  }
}

}  // namespace mxc
