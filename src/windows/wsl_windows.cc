// A run of the Linux mxc-exec in a distribution of WSL, through wsl.exe.
#include <windows.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "mxc/command_line.h"
#include "mxc/windows/wsl_engine.h"
#include "mxc/windows/wsl_run.h"
#include "run/inner_report.h"
#include "win32/run_tool_windows.h"
#include "win32/wide_windows.h"
#include "windows/command_windows.h"
#include "windows/run_folder_windows.h"
#include "windows/virtual_windows.h"

namespace mxc {
namespace {

constexpr std::uint32_t kStartLimitMs = 60000;  // a distribution that was stopped
constexpr std::uint32_t kStopLimitMs = 10000;
// What the mxc-exec inside needs to end a run whose time is over, before we do.
constexpr std::uint32_t kGraceMs = 15000;
constexpr std::size_t kMaxResultBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxVariable = 32767;  // of the environment of Windows, in UTF-16 units
constexpr const char* kConfigVariable = "MXC_CONFIG";
constexpr const char* kResultFile = "result";

// What wsl.exe needs of the system; none of it reaches the distribution.
constexpr std::array<const char*, 10> kVariables = {"SystemRoot",  "SystemDrive",  "windir",  "USERPROFILE",
                                                    "USERNAME",    "LOCALAPPDATA", "APPDATA", "TEMP",
                                                    "ProgramData", "ProgramFiles"};

std::string SystemDirectory() {
  std::array<wchar_t, MAX_PATH> directory{};
  ::GetSystemDirectoryW(directory.data(), MAX_PATH);
  return Narrow(directory.data());
}

Error Unavailable(std::string message, std::string hint) {
  return {.code = ErrorCode::kUnavailable,
          .message = std::move(message),
          .pointer = "/containment",
          .hint = std::move(hint)};
}

std::vector<std::string> Inside(const std::string& wsl, const WslRun& run, std::vector<std::string> argv) {
  std::vector<std::string> line = {wsl, "-d", run.distribution, "--cd", "/", "--exec"};
  line.insert(line.end(), argv.begin(), argv.end());
  return line;
}

// Starts the distribution, and takes down what wsl.exe says when it cannot.
Status CheckInside(const std::string& wsl, const WslRun& run) {
  const std::string name = "the distribution '" + run.distribution + "'";
  const ToolRun version = RunTool(Inside(wsl, run, {run.program, "--version"}), kStartLimitMs);
  if (!version.started) return Unavailable("'" + wsl + "' cannot be started", "install WSL: wsl --install");
  const std::string said = WslText(version.out.empty() ? version.err : version.out);
  if (version.timed_out)
    return Unavailable(name + " did not start in 60 s", "try it: wsl -d " + run.distribution);
  if (version.exit_code != 0 || !said.starts_with("mxc-exec ")) {
    return Unavailable(
        name + " has no '" + run.program + "'" + (said.empty() ? "" : ": " + said.substr(0, said.find('\n'))),
        "install mxc-exec for Linux in it, or name its place: wslc.program");
  }
  const ToolRun drives = RunTool(Inside(wsl, run, {"wslpath", "-a", "-u", "C:/"}), kStartLimitMs);
  std::string root = WslText(drives.out);
  while (!root.empty() && (root.back() == '\n' || root.back() == '/')) root.pop_back();
  if (drives.exit_code == 0 && root == std::string(kWslDrives) + "c") return Done{};
  return Unavailable(name + " has the drives of Windows elsewhere than below /mnt",
                     "remove `root` from the section [automount] of its /etc/wsl.conf, then: wsl --shutdown");
}

std::string Config(const WslRun& run) {
  std::string text;
  for (const TextPart& part : run.config) {
    const auto* shown = std::get_if<std::string>(&part);
    text += shown != nullptr ? *shown : std::get<Secret>(part).Reveal();
  }
  return text;
}

// The document crosses in the environment: arguments can be read by others, a file would stay on the disk.
std::vector<Variable> EnvironmentFor(std::string config) {
  std::vector<Variable> environment;
  for (const char* name : kVariables) {
    const wchar_t* value = ::_wgetenv(Wide(name).c_str());
    if (value != nullptr) environment.push_back({.name = name, .value = Secret{Narrow(value)}});
  }
  environment.push_back({.name = kConfigVariable, .value = Secret{std::move(config)}});
  environment.push_back({.name = "WSLENV", .value = Secret{std::string(kConfigVariable) + "/u"}});
  environment.push_back({.name = "WSL_UTF8", .value = Secret{"1"}});
  return environment;
}

std::string OnDrive(const std::string& path) {
  std::string inside = std::string(kWslDrives) + static_cast<char>(path.front() | 0x20);
  for (const char c : path.substr(2)) inside += c == '\\' ? '/' : c;
  return inside;
}

// Ends the mxc-exec of this run: wsl.exe may have gone, and it stayed. Its result file is named by nobody
// else.
void EndInside(const std::string& wsl, const WslRun& run, const RunFolder& folder) {
  static_cast<void>(RunTool(Inside(wsl, run, {"pkill", "-TERM", "-f", folder.Token()}), kStopLimitMs));
}

}  // namespace

Result<Outcome> RunInWsl(const Plan& plan, RunObserver& observer) {
  const WslRun& run = std::get<WslLaunch>(plan.launch).run;
  const std::string directory = SystemDirectory();
  const std::string wsl = directory + "\\wsl.exe";
  if (Status checked = CheckInside(wsl, run); !checked) return checked.error();
  const Result<RunFolder> folder = RunFolder::Make();
  if (!folder) return folder.error();
  std::string config = Config(run);
  if (Wide(config).size() + sizeof "MXC_CONFIG=" > kMaxVariable) {
    return Error{.code = ErrorCode::kSetupFailed,
                 .message = "the policy is longer than an environment variable of Windows may be",
                 .hint = "grant directories rather than the files in them"};
  }
  const std::string result = OnDrive(folder->Of(kResultFile));
  const AppContainerSandbox command{
      .no_win32k = false,
      .ui_limits = 0,
      .command_line =
          JoinArguments(Inside(wsl, run, {run.program, "--config-env", kConfigVariable, "--result", result}),
                        QuoteFor::kProgram),
      .environment = EnvironmentFor(std::move(config)),
      .cwd = directory};
  const std::uint32_t limit = plan.timeout_ms == 0 ? 0 : plan.timeout_ms + kGraceMs;
  Result<Outcome> outcome = RunCommand({command, Plan{}, false, Terminal::kInherit, limit}, observer);
  if (!outcome) return outcome;
  InnerReport report = ReadInnerReport(folder->Read(kResultFile, kMaxResultBytes));
  if (report.outcome && report.outcome->inside)
    report.outcome->inside =
        InnerEngine{.name = WslEngine(report.outcome->inside->name), .tier = report.outcome->inside->tier};
  if (report.outcome) return *report.outcome;
  if (report.error) {
    Error error = *report.error;
    error.message = "refused in the distribution '" + run.distribution + "': " + error.message;
    return error;
  }
  EndInside(wsl, run, *folder);
  if (outcome->timed_out || outcome->interrupted_by != 0) return outcome;
  const std::string why = report.unreadable.empty()
                              ? "the mxc-exec inside has not said how the run went"
                              : "what the mxc-exec inside says of the run is refused: " + report.unreadable;
  return Error{.code = ErrorCode::kSetupFailed,
               .message = "wsl.exe ended with " + std::to_string(outcome->exit_code) + ", and " + why,
               .hint = "try it: wsl -d " + run.distribution};
}

}  // namespace mxc
