#include "windows/wsl_call_windows.h"

#include <windows.h>

#include <array>
#include <utility>

#include "mxc/windows/path.h"
#include "mxc/windows/wsl_path.h"
#include "win32/run_tool_windows.h"
#include "win32/wide_windows.h"

namespace mxc {
namespace {

constexpr std::uint32_t kDistributionStartLimitMs = 60000;  // one that was stopped
constexpr std::uint32_t kWslAnswerLimitMs = 10000;
constexpr std::size_t kMaxVariable = 32767;  // of the environment of Windows, in UTF-16 units

// What wsl.exe needs of the system; none of it reaches the distribution.
constexpr std::array<const char*, 10> kWslVariables = {
    "SystemRoot",   "SystemDrive", "windir", "USERPROFILE", "USERNAME",
    "LOCALAPPDATA", "APPDATA",     "TEMP",   "ProgramData", "ProgramFiles"};

std::string WslProgram() { return SystemDirectory() + "\\wsl.exe"; }

Error WslUnavailable(std::string message, std::string hint) {
  return Unavailable(std::move(message), "/containment", std::move(hint));
}

}  // namespace

std::string SystemDirectory() {
  std::array<wchar_t, MAX_PATH> directory{};
  ::GetSystemDirectoryW(directory.data(), MAX_PATH);
  return Narrow(directory.data());
}

std::vector<std::string> InWsl(const WslRun& run, const std::vector<std::string>& argv) {
  std::vector<std::string> line = {WslProgram(), "-d", run.distribution, "--cd", "/", "--exec"};
  line.insert(line.end(), argv.begin(), argv.end());
  return line;
}

// The document crosses in the environment: arguments can be read by others, a file would stay on the disk.
Result<std::vector<Variable>> WslEnvironment(std::string config) {
  if (Wide(config).size() + sizeof "MXC_CONFIG=" > kMaxVariable) {
    return SetupFailed("the policy is longer than an environment variable of Windows may be",
                       "grant directories rather than the files in them");
  }
  std::vector<Variable> environment;
  for (const char* name : kWslVariables) {
    const wchar_t* value = ::_wgetenv(Wide(name).c_str());
    if (value != nullptr) environment.push_back({.name = name, .value = Secret{Narrow(value)}});
  }
  environment.push_back({.name = kWslConfigVariable, .value = Secret{std::move(config)}});
  environment.push_back({.name = "WSLENV", .value = Secret{std::string(kWslConfigVariable) + "/u"}});
  environment.push_back({.name = "WSL_UTF8", .value = Secret{"1"}});
  return environment;
}

Status CheckInWsl(const WslRun& run) {
  const std::string name = "the distribution '" + run.distribution + "'";
  const ToolRun version = RunTool(InWsl(run, {run.program, "--version"}), kDistributionStartLimitMs);
  if (!version.started)
    return WslUnavailable("'" + WslProgram() + "' cannot be started", "install WSL: wsl --install");
  const std::string said = WslText(version.out.empty() ? version.err : version.out);
  if (version.timed_out)
    return WslUnavailable(name + " did not start in 60 s", "try it: wsl -d " + run.distribution);
  if (version.exit_code != 0 || !said.starts_with("mxc-exec ")) {
    return WslUnavailable(
        name + " has no '" + run.program + "'" + (said.empty() ? "" : ": " + said.substr(0, said.find('\n'))),
        "install mxc-exec for Linux in it, or name its place: wslc.program");
  }
  const ToolRun drives = RunTool(InWsl(run, {"wslpath", "-a", "-u", "C:/"}), kDistributionStartLimitMs);
  std::string root = WslText(drives.out);
  while (!root.empty() && (root.back() == '\n' || root.back() == '/')) root.pop_back();
  if (drives.exit_code == 0 && root == std::string(kWslDrives) + "c") return Done{};
  return WslUnavailable(
      name + " has the drives of Windows elsewhere than below /mnt",
      "remove `root` from the section [automount] of its /etc/wsl.conf, then: wsl --shutdown");
}

bool DistributionRuns(const std::string& distribution) {
  const ToolRun said = RunTool({WslProgram(), "--list", "--running", "--quiet"}, kWslAnswerLimitMs);
  if (said.timed_out) return true;
  if (!said.started || said.exit_code != 0) return false;
  std::string names = WslText(said.out) + "\n";
  for (std::size_t end = names.find('\n'); end != std::string::npos; end = names.find('\n')) {
    if (IsSameWindowsName(names.substr(0, end), distribution)) return true;
    names.erase(0, end + 1);
  }
  return false;
}

}  // namespace mxc
