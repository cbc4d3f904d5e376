#include "policy/paths/spelling.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "mxc/fold.h"
#include "mxc/windows/path.h"
#include "mxc/windows/wsl_path.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

constexpr std::string_view kUnparsed = "\\\\?\\";
constexpr std::array<std::string_view, 2> kWslServers = {"\\\\wsl$\\", "\\\\wsl.localhost\\"};

std::string Replaced(std::string_view path, char from, char to) {
  std::string text{path};
  std::replace(text.begin(), text.end(), from, to);
  return text;
}

// Whether it is "/mnt/c" or below.
bool IsOnWslDrive(std::string_view path) {
  const std::size_t letter = kWslDrives.size();
  return path.starts_with(kWslDrives) && path.size() > letter &&
         (path.size() == letter + 1 || path[letter + 1] == '/');
}

std::string HintOnWindows(const PathEntry& entry) {
  if (entry.pointer == "/filesystem/temp") return "leave `temp` out, and grant the folder that TEMP names";
  std::string_view path = entry.path;
  std::string drive = "C:";
  if (IsOnWslDrive(path)) {
    drive[0] = path[kWslDrives.size()];
    path.remove_prefix(kWslDrives.size() + 1);
  }
  const std::string rest = path.empty() ? "\\" : Replaced(path, '/', '\\');
  return "write it with its drive, such as " + Quoted(drive + rest);
}

std::string HintOnLinux(std::string_view path) {
  if (path.starts_with(kUnparsed)) path.remove_prefix(kUnparsed.size());
  const std::string rest = Replaced(path, '\\', '/');
  if (IsOnDrive(Replaced(path, '/', '\\'))) {
    return "write where it stands on Linux; in a distribution of WSL that is " +
           Quoted(std::string(kWslDrives) + Folded(path.front()) + rest.substr(2));
  }
  for (const std::string_view server : kWslServers) {
    if (!IsSameWindowsName(path.substr(0, server.size()), server)) continue;
    const std::size_t name = rest.find('/', server.size());
    return "write it as the distribution has it, " +
           Quoted(name == std::string::npos ? std::string("/") : rest.substr(name));
  }
  return "mount the share, and write where it is mounted";
}

}  // namespace

Error NoPathOn(OperatingSystem system, const PathEntry& entry) {
  std::string hint = "write it from the root, /";
  if (system == OperatingSystem::kWindows) hint = HintOnWindows(entry);
  if (system == OperatingSystem::kLinux) hint = HintOnLinux(entry.path);
  return Conflict(Quoted(entry.path) + " is no path on " + std::string(Name(system)), entry.pointer,
                  std::move(hint));
}

Status CheckSpellings(const Config& config, OperatingSystem system) {
  for (const auto* list : {&config.read_write, &config.read_only, &config.denied, &config.repositories}) {
    for (const PathEntry& entry : *list)
      if (!entry.path.starts_with('/')) return NoPathOn(system, entry);
  }
  for (const auto& [path, pointer] : {std::pair{&config.process.cwd, &config.process.cwd_pointer},
                                      std::pair{&config.audit.path, &config.audit_pointer}}) {
    if (!path->empty() && !path->starts_with('/'))
      return NoPathOn(system, {.path = *path, .pointer = *pointer});
  }
  return Done{};
}

}  // namespace mxc
