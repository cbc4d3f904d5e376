// A run of the Linux mxc-exec in a distribution of WSL, through wsl.exe.
#include <windows.h>

#include <string>
#include <utility>
#include <vector>

#include "mxc/command_line.h"
#include "mxc/windows/wsl_engine.h"
#include "mxc/windows/wsl_path.h"
#include "mxc/windows/wsl_run.h"
#include "run/inner_report.h"
#include "win32/run_tool_windows.h"
#include "win32/unique_handle_windows.h"
#include "windows/command_windows.h"
#include "windows/persistent_machine_windows.h"
#include "windows/private_folder_windows.h"
#include "windows/run_folder_windows.h"
#include "windows/virtual_windows.h"
#include "windows/wsl_call_windows.h"

namespace mxc {
namespace {

constexpr std::uint32_t kStopLimitMs = 10000;
// What the mxc-exec inside needs to end a run whose time is over, before we do.
constexpr std::uint32_t kGraceMs = 15000;
constexpr std::size_t kMaxResultBytes = std::size_t{1} << 20U;
constexpr const char* kResultFile = "result";

// Ends the mxc-exec of this run: wsl.exe may have gone, and it stayed. Its result file is named by nobody
// else.
void EndInside(const WslRun& run, const RunFolder& folder) {
  static_cast<void>(RunTool(InWsl(run, {"pkill", "-TERM", "-f", folder.Token()}), kStopLimitMs));
}

// Between two looks at the sandbox it has gone: its keeper goes as well, which is what later phases see.
bool IsGone(ErrorCode code) {
  return code == ErrorCode::kStaleId || code == ErrorCode::kNotProvisioned || code == ErrorCode::kNotStarted;
}

Error FailedInside(Error error, const WslLaunch& launch, bool started) {
  if (!launch.persistent.empty() && IsGone(error.code)) {
    return {.code = ErrorCode::kNotStarted,
            .message = "the sandbox in the distribution '" + launch.run.distribution + "' has ended",
            .pointer = "/sandboxId",
            .hint = "send the phase start again"};
  }
  const std::string what = started ? "failed in the distribution '" : "refused in the distribution '";
  error.message = what + launch.run.distribution + "': " + error.message;
  return error;
}

}  // namespace

Result<Outcome> RunInWsl(const Plan& plan, RunObserver& observer) {
  const auto& launch = std::get<WslLaunch>(plan.launch);
  const WslRun& run = launch.run;
  const bool stays = !launch.persistent.empty();
  if (!stays) {
    if (Status checked = CheckInWsl(run); !checked) return checked.error();
  }
  const Result<RunFolder> folder = RunFolder::Make();
  if (!folder) return folder.error();
  Result<std::vector<Variable>> environment = WslEnvironment(RevealedText(run.config));
  if (!environment) return environment.error();
  const Result<UniqueHandle> mark = stays ? MarkCommand(launch.persistent) : UniqueHandle{};
  if (!mark) return mark.error();
  const Result<std::string> result = PathInWsl(folder->Of(kResultFile), run.distribution, "");
  if (!result) return result.error();
  std::vector<std::string> argv = {run.program, "--config-env", kWslConfigVariable, "--result", *result};
  // The answer to a request would stand in the command's output.
  if (stays) argv.emplace_back("--quiet");
  const AppContainerSandbox command{.no_win32k = false,
                                    .ui_limits = 0,
                                    .command_line = JoinArguments(InWsl(run, argv), QuoteFor::kProgram),
                                    .environment = std::move(*environment),
                                    .cwd = SystemDirectory()};
  const std::uint32_t limit = plan.timeout_ms == 0 ? 0 : plan.timeout_ms + kGraceMs;
  Result<Outcome> outcome = RunCommand({command, Plan{}, false, Terminal::kInherit, limit}, observer);
  if (!outcome) return outcome;
  InnerReport report = ReadInnerReport(ReadFileText(folder->Of(kResultFile), kMaxResultBytes));
  for (const Warning& warning : report.warnings) {
    if (stays) observer.OnWarning(warning);  // of a run it has said them itself
  }
  if (report.outcome && report.outcome->inside)
    report.outcome->inside =
        InnerEngine{.name = WslEngine(report.outcome->inside->name), .tier = report.outcome->inside->tier};
  if (report.outcome) return *report.outcome;
  if (report.error) return FailedInside(std::move(*report.error), launch, report.started);
  EndInside(run, *folder);
  if (outcome->timed_out || outcome->interrupted_by != 0) return outcome;
  const std::string why = report.unreadable.empty()
                              ? "the mxc-exec inside has not said how the run went"
                              : "what the mxc-exec inside says of the run is refused: " + report.unreadable;
  return SetupFailed("wsl.exe ended with " + std::to_string(outcome->exit_code) + ", and " + why,
                     "try it: wsl -d " + run.distribution);
}

}  // namespace mxc
