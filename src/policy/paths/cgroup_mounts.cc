#include "policy/paths/cgroup_mounts.h"

#include <algorithm>
#include <utility>

#include "base/lists.h"
#include "base/path.h"

namespace mxc {
namespace {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::string_view part = TakePiece(text, separator);
    if (!part.empty()) parts.emplace_back(part);
  }
  return parts;
}

bool Contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// "ID PARENT DEVICE ROOT DIRECTORY OPTIONS [TAG...] - TYPE SOURCE OPTIONS"
std::optional<CgroupMount> MountIn(const std::string& line) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string::npos) return std::nullopt;
  const std::vector<std::string> mount = Split(std::string_view(line).substr(0, dash), ' ');
  const std::vector<std::string> system = Split(std::string_view(line).substr(dash + 3), ' ');
  if (mount.size() < 6 || system.size() < 3) return std::nullopt;
  if (system[0] != "cgroup" && system[0] != "cgroup2") return std::nullopt;
  const std::vector<std::string> options = Split(system[2], ',');
  CgroupMount result{.directory = UnescapePath(mount[4]),
                     .root = UnescapePath(mount[3]),
                     .unified = system[0] == "cgroup2",
                     .read_only = Contains(Split(mount[5], ','), "ro") || Contains(options, "ro")};
  if (result.unified) return result;
  for (const std::string_view controller : {"memory", "cpu", "pids", "cpuacct"}) {
    if (Contains(options, controller)) result.controllers.emplace_back(controller);
  }
  return result.controllers.empty() ? std::nullopt : std::optional(std::move(result));
}

}  // namespace

std::vector<std::string> WordsIn(std::string_view line) {
  return Split(line.substr(0, line.find('\n')), ' ');
}

std::vector<CgroupMount> CgroupMountsIn(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  for (const std::string& line : Split(mountinfo, '\n')) {
    std::optional<CgroupMount> mount = MountIn(line);
    if (!mount) continue;
    const bool known = std::any_of(mounts.begin(), mounts.end(), [&](const CgroupMount& other) {
      return other.unified == mount->unified && other.controllers == mount->controllers;
    });
    if (!known) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

std::vector<CgroupMembership> MembershipsIn(std::string_view text) {
  std::vector<CgroupMembership> memberships;
  for (const std::string& line : Split(text, '\n')) {
    // "4:memory:/a:b": only the first two colons separate.
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    memberships.push_back(
        {.controllers = Split(std::string_view(line).substr(first + 1, second - first - 1), ','),
         .path = line.substr(second + 1)});
  }
  return memberships;
}

std::optional<std::string> OwnGroup(const CgroupMount& mount,
                                    const std::vector<CgroupMembership>& memberships) {
  const auto own = std::find_if(memberships.begin(), memberships.end(), [&](const CgroupMembership& member) {
    return mount.unified ? member.controllers.empty() : Contains(member.controllers, mount.controllers[0]);
  });
  // A path of a group above the process's own namespace begins with "/..".
  if (own == memberships.end() || own->path.starts_with("/..")) return std::nullopt;
  const std::string root = mount.root == "/" ? "" : mount.root;
  const std::string path = own->path == "/" ? "" : own->path;
  const bool shows = path.starts_with(root) && (path.size() == root.size() || path[root.size()] == '/');
  if (!shows) return std::nullopt;
  return mount.directory + path.substr(root.size());
}

}  // namespace mxc
