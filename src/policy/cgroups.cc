#include "policy/cgroups.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "policy/cgroup_mounts.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;  // mountinfo of a thousand mounts is 200 kB
constexpr std::array<std::string_view, 4> kControllers = {"memory", "cpu", "pids", "cpuacct"};

constexpr const char* kDelegate =
    "start mxc-exec in a group that is delegated to the caller: `systemd-run --user --scope mxc-exec ...` "
    "where there is systemd, otherwise a directory there that root has given to the caller";
constexpr const char* kWritableMount = "have it mounted writable, or run outside of the container";

std::string Read(const Host& host, const std::string& path) {
  const Result<std::string> text = host.ReadFile(path, kMaxFileBytes);
  return text ? *text : std::string();
}

bool HasController(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Collects places, and the first reason against each controller.
class Finder {
 public:
  explicit Finder(const Host& host) : host_(host) {}

  void Look(const CgroupMount& mount, const std::vector<CgroupMembership>& memberships);
  [[nodiscard]] CgroupSupport Take(bool any_mount);

 private:
  void LookAtLegacy(const CgroupMount& mount, const std::string& directory);
  void LookAtUnified(const CgroupMount& mount, std::string directory);
  [[nodiscard]] std::optional<CgroupPlace> UnifiedPlace(const CgroupMount& mount,
                                                        const std::string& directory) const;
  void Refuse(const std::vector<std::string>& controllers, const std::string& reason, const char* remedy);
  // To make groups in it, and to move processes there from anywhere below it.
  [[nodiscard]] bool MayMakeGroups(const std::string& directory) const {
    return host_.MayAccess(directory, Access::kReadWrite) &&
           host_.MayAccess(directory + "/cgroup.procs", Access::kReadWrite);
  }

  const Host& host_;
  CgroupSupport found_ = {};
};

void Finder::Refuse(const std::vector<std::string>& controllers, const std::string& reason,
                    const char* remedy) {
  for (const std::string& controller : controllers) {
    found_.gaps.push_back({.controller = controller, .reason = reason, .remedy = remedy});
  }
}

void Finder::Look(const CgroupMount& mount, const std::vector<CgroupMembership>& memberships) {
  std::vector<std::string> controllers = mount.controllers;
  if (mount.unified) {
    controllers = WordsIn(Read(host_, mount.directory + "/cgroup.controllers"));
    controllers.emplace_back("cpuacct");
  }
  const std::optional<std::string> directory = OwnGroup(mount, memberships);
  if (!directory) {
    Refuse(controllers, "the launcher's own control group lies outside of " + mount.directory,
           "run outside of the container");
  } else if (mount.read_only) {
    Refuse(controllers, mount.directory + " is mounted read-only", kWritableMount);
  } else if (mount.unified) {
    LookAtUnified(mount, *directory);
    Refuse(controllers, "no control group from " + *directory + " upwards lets the caller use it", kDelegate);
  } else {
    LookAtLegacy(mount, *directory);
  }
}

void Finder::LookAtLegacy(const CgroupMount& mount, const std::string& directory) {
  if (MayMakeGroups(directory)) {
    found_.places.push_back({.directory = directory, .controllers = mount.controllers});
  } else {
    Refuse(mount.controllers, "the control group " + directory + " is not the caller's to divide", kDelegate);
  }
}

// Only the root of the whole hierarchy may hold processes and hand controllers down, and only it has no type.
std::optional<CgroupPlace> Finder::UnifiedPlace(const CgroupMount& mount,
                                                const std::string& directory) const {
  if (!MayMakeGroups(directory)) return std::nullopt;
  CgroupPlace place{.directory = directory, .unified = true};
  place.controllers = WordsIn(Read(host_, directory + "/cgroup.subtree_control"));
  const bool root = directory == mount.directory && !host_.LookAt(directory + "/cgroup.type").status;
  if (root) {
    for (std::string& controller : WordsIn(Read(host_, directory + "/cgroup.controllers"))) {
      if (HasController(place.controllers, controller)) continue;
      place.switched_off.push_back(controller);
      place.controllers.push_back(std::move(controller));
    }
  }
  place.controllers.emplace_back("cpuacct");
  return place;
}

void Finder::LookAtUnified(const CgroupMount& mount, std::string directory) {
  for (;;) {
    if (std::optional<CgroupPlace> place = UnifiedPlace(mount, directory))
      found_.places.push_back(std::move(*place));
    if (directory.size() <= mount.directory.size()) return;
    directory.resize(directory.rfind('/'));
  }
}

CgroupSupport Finder::Take(bool any_mount) {
  std::vector<CgroupGap> gaps;
  for (const std::string_view controller : kControllers) {
    const bool placed =
        std::any_of(found_.places.begin(), found_.places.end(),
                    [&](const CgroupPlace& place) { return HasController(place.controllers, controller); });
    if (placed) continue;
    const auto gap = std::find_if(found_.gaps.begin(), found_.gaps.end(),
                                  [&](const CgroupGap& known) { return known.controller == controller; });
    if (gap != found_.gaps.end()) {
      gaps.push_back(*gap);
    } else if (any_mount) {
      gaps.push_back({std::string(controller), "this system has no control group controller for it",
                      "boot a kernel that has one, with cgroup_enable if it is switched off"});
    } else {
      gaps.push_back({std::string(controller), "no control group file system is mounted here",
                      "run where /sys/fs/cgroup is mounted; a surrounding sandbox hides it"});
    }
  }
  found_.gaps = std::move(gaps);
  return std::move(found_);
}

}  // namespace

bool NeedsCgroup(const std::vector<ResourceLimit>& limits) {
  return std::any_of(limits.begin(), limits.end(), [](const ResourceLimit& limit) {
    return limit.resource == Resource::kMemory || limit.resource == Resource::kCpus ||
           limit.resource == Resource::kProcesses || limit.resource == Resource::kCpuTime;
  });
}

CgroupSupport FindCgroups(const Host& host) {
  Finder finder{host};
  const std::vector<CgroupMount> mounts = CgroupMountsIn(Read(host, "/proc/self/mountinfo"));
  const std::vector<CgroupMembership> memberships = MembershipsIn(Read(host, "/proc/self/cgroup"));
  for (const CgroupMount& mount : mounts) finder.Look(mount, memberships);
  return finder.Take(!mounts.empty());
}

}  // namespace mxc
