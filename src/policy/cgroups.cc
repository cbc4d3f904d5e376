#include "policy/cgroups.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "policy/paths/cgroup_mounts.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;  // mountinfo of a thousand mounts is 200 kB
constexpr std::array<std::string_view, 4> kControllers = {"memory", "cpu", "pids", "cpuacct"};

constexpr const char* kDelegate =
    "run it in a session that systemd manages, as after a login by ssh, or in a control group that root has "
    "given to the caller";
constexpr const char* kWritableMount = "have it mounted writable, or run outside of the container";

std::string Read(const Host& host, const std::string& path) {
  const Result<std::string> text = host.ReadFile(path, kMaxFileBytes);
  return text ? *text : std::string();
}

bool HasController(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// ---- systemd: where it runs, others create groups only below those that it has delegated ---------------

constexpr const char* kSystemdRuns = "/run/systemd/system";  // sd_booted(3)

constexpr const char* kNoBusctl = "install systemd with its busctl";
constexpr const char* kNoManager =
    "log in through PAM, as by ssh or `machinectl shell`, or have root run `loginctl enable-linger`";
constexpr const char* kNoSystemBus = "install and start dbus";

// The part of `directory` down to the manager that created it: the last user manager on the path, else the
// system's, in `root`.
std::string ManagerOver(const std::string& root, const std::string& directory) {
  std::string manager = root;
  for (std::size_t at = root.size(); at < directory.size();) {
    at = std::min(directory.find('/', at + 1), directory.size());
    const std::string_view path = std::string_view(directory).substr(0, at);
    const std::string_view unit = NameOf(path);
    if (unit.starts_with("user@") && unit.ends_with(".service")) manager = path;
  }
  return manager;
}

// The slice of `manager` that contains `directory`, whose limits hold for the scope as well; `standard` if
// none does.
std::string SliceOf(const std::string& manager, const std::string& directory, const char* standard) {
  std::string slice = manager;
  const bool below = directory.starts_with(manager + "/");
  for (std::size_t at = manager.size(); below && at < directory.size();) {
    at = std::min(directory.find('/', at + 1), directory.size());
    const std::string_view path = std::string_view(directory).substr(0, at);
    if (!path.ends_with(".slice")) break;
    slice = path;
  }
  return slice == manager ? manager + "/" + standard : slice;
}

// The manager that makes scopes for the caller.
struct ScopeMaker {
  std::string group = {};   // the manager's own
  std::string socket = {};  // of its bus
  const char* slice = nullptr;
  const char* remedy = nullptr;
};

ScopeMaker MakerFor(const Identity& caller, const std::string& root) {
  if (caller.IsRoot()) return {root, "/run/dbus/system_bus_socket", "system.slice", kNoSystemBus};
  const std::string user = std::to_string(caller.uid);
  return {root + "/user.slice/user-" + user + ".slice/user@" + user + ".service",
          "/run/user/" + user + "/bus", "app.slice", kNoManager};
}

// ---- places ----------------------------------------------------------------------------------------------

// Collects places, and the first reason against each controller.
class Finder {
 public:
  explicit Finder(const Host& host) : host_(host) {}

  void Look(const CgroupMount& mount, const std::vector<CgroupMembership>& memberships) {
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
    } else if (mount.unified && host_.LookAt(kSystemdRuns).status) {
      LookAtUnits(mount, *directory, controllers);
    } else if (mount.unified) {
      LookAtUnified(mount, *directory, mount.directory);
      Refuse(controllers, "no control group from " + *directory + " upwards lets the caller use it",
             kDelegate);
    } else {
      LookAtLegacy(mount, *directory);
    }
  }

  [[nodiscard]] CgroupSupport Take(bool any_mount) {
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

 private:
  void LookAtLegacy(const CgroupMount& mount, const std::string& directory) {
    if (MayMakeGroups(directory)) {
      found_.places.push_back({.directory = directory, .controllers = mount.controllers});
    } else {
      Refuse(mount.controllers, "the control group " + directory + " is not the caller's to divide",
             kDelegate);
    }
  }

  void LookAtUnified(const CgroupMount& mount, std::string directory, const std::string& last) {
    for (;;) {
      if (std::optional<CgroupPlace> place = UnifiedPlace(mount, directory))
        found_.places.push_back(std::move(*place));
      if (directory.size() <= last.size()) return;
      directory.resize(directory.rfind('/'));
    }
  }

  // Adds groups that systemd has delegated, and the scope that it would create.
  void LookAtUnits(const CgroupMount& mount, const std::string& own,
                   const std::vector<std::string>& controllers) {
    const std::string delegated = DelegatedOver(mount, own);
    if (!delegated.empty()) LookAtUnified(mount, own, delegated);
    const ScopeMaker maker = MakerFor(host_.Caller(), mount.directory);
    const std::optional<std::string> busctl = host_.FindTool("busctl");
    const std::string why = "systemd keeps the control groups here, ";
    if (!busctl) return Refuse(controllers, why + "and there is no busctl to ask it for a scope", kNoBusctl);
    if (!IsOwnSocket(maker.socket) || !host_.LookAt(maker.group).status) {
      const std::string missing = host_.Caller().IsRoot() ? "the system bus" : "the caller's manager";
      return Refuse(controllers, why + "and " + missing + " does not run (" + maker.socket + ")",
                    maker.remedy);
    }
    CgroupPlace place{.directory = SliceOf(maker.group, own, maker.slice), .unified = true};
    place.controllers = WordsIn(Read(host_, maker.group + "/cgroup.controllers"));
    place.switched_off = place.controllers;
    place.controllers.emplace_back("cpuacct");
    place.scope = {.busctl = *busctl,
                   .address = "unix:path=" + maker.socket,
                   .slice = std::string(NameOf(place.directory))};
    found_.places.push_back(std::move(place));
    Refuse(controllers, why + "and " + maker.group + " has not got the controller",
           "have it delegated: Delegate= of the unit user@.service");
  }

  // The nearest group from `directory` upwards that its manager has delegated; empty if none. systemd marks
  // it with an attribute; older versions made the unit's user own the group and all below it. Below a user
  // manager that user owns everything.
  [[nodiscard]] std::string DelegatedOver(const CgroupMount& mount, std::string directory) const {
    const std::string manager = ManagerOver(mount.directory, directory);
    const bool owned_means_delegated = manager == mount.directory && !host_.Caller().IsRoot();
    std::string owned;
    for (; directory.size() > manager.size(); directory.resize(directory.rfind('/'))) {
      if (host_.Attribute(directory, "user.delegate") == "1" ||
          host_.Attribute(directory, "trusted.delegate") == "1") {
        return directory;
      }
      if (owned_means_delegated && MayMakeGroups(directory)) owned = directory;
    }
    return owned;
  }

  [[nodiscard]] bool IsOwnSocket(const std::string& path) const {
    const Lookup found = host_.LookAt(path);
    return found.Is(FileType::kSocket) && found.status->uid == host_.Caller().uid;
  }

  // Only the root of the hierarchy may both hold processes and enable controllers for its children, and only
  // it has no cgroup.type.
  [[nodiscard]] std::optional<CgroupPlace> UnifiedPlace(const CgroupMount& mount,
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

  void Refuse(const std::vector<std::string>& controllers, const std::string& reason, const char* remedy) {
    for (const std::string& controller : controllers) {
      found_.gaps.push_back({.controller = controller, .reason = reason, .remedy = remedy});
    }
  }

  // Whether the caller may create groups in it, and move processes there from anywhere below it.
  [[nodiscard]] bool MayMakeGroups(const std::string& directory) const {
    return host_.MayAccess(directory, Access::kReadWrite) &&
           host_.MayAccess(directory + "/cgroup.procs", Access::kReadWrite);
  }

  const Host& host_;
  CgroupSupport found_ = {};
};

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
