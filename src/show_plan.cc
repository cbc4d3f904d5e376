#include "show_plan.h"

#include <fmt/core.h>

#include <string>

#include "base/quoted.h"
#include "dispatch.h"
#include "plan/describe.h"
#include "report/hidden_values.h"
#include "report/report.h"

namespace mxc {
namespace {

// A backend that another build has, or an image that another host has.
bool IsOnlyMissing(const Error& error) {
  return error.code == ErrorCode::kNotBuilt ||
         (error.code == ErrorCode::kUnavailable && error.pointer == "/lxc");
}

// The mode of configuration.
std::string OriginOf(const Options& options) {
  if (!options.base.empty()) return "base " + options.base + ", generated";
  if (!options.policy.empty()) return "of " + Quoted(options.policy) + ", which has no command";
  if (!options.HasConfig()) return "of the flags";
  return options.config_path && *options.config_path != "-" ? "configuration " + Quoted(*options.config_path)
                                                            : "configuration";
}

void Print(const Prepared& prepared, const Options& options, decltype(DescribeText) describe) {
  fmt::print("{}", WithoutHiddenValues(describe(Dispatch(prepared.plan.containment), prepared.policy,
                                                prepared.plan, OriginOf(options))));
}

}  // namespace

int ExplainPlan(const Result<Prepared>& prepared, const Options& options) {
  if (!prepared) {
    PrintError(prepared.error());
    return ExitStatus(prepared.error().code);
  }
  Print(*prepared, options, options.form == "json" ? DescribeJson : DescribeText);
  return 0;
}

int DryRun(const Result<Prepared>& prepared, const Options& options, Log& log, std::int64_t elapsed_ms) {
  if (!prepared && ExitStatus(prepared.error().code) != 255) {
    PrintError(prepared.error());
    return ExitStatus(prepared.error().code);
  }
  if (prepared && prepared->policy.as_written) {
    Print(*prepared, options, DescribeText);
  }
  log.Line(fmt::format("Runner completed in {}ms", elapsed_ms));
  // The configuration is valid for a build that has the backend: the reference's verdict, with the truth
  // beside it.
  const bool only_not_built = !prepared && IsOnlyMissing(prepared.error());
  if (only_not_built) log.Line("Note: a run would be refused: " + prepared.error().message);
  if (prepared || only_not_built) {
    log.Line("Dry run completed. Result: validation passed");
    return 0;
  }
  log.Line("Dry run completed. Result: validation failed: " + prepared.error().message);
  PrintError(prepared.error());
  return 255;
}

// The lines of contract 1.4, to the letter.
void LogRequest(const Config& config, Log& log) {
  for (const Warning& note : config.notes) log.Line("Note: " + note.message);
  std::size_t length = config.process.command_line.size();
  for (const std::string& argument : config.process.argv) length += argument.size() + 1;
  log.Line(fmt::format("Script code length: {}", length));
  log.Line("Working directory: " + config.process.cwd);
  log.Line(fmt::format("Script timeout: {}", config.process.timeout_ms));
  log.Line("Container name: " + config.container_id);
}

}  // namespace mxc
