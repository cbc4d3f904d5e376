#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>

#include "base/path.h"
#include "base/process_tree.h"
#include "cgroup/cgroup_files.h"
#include "cgroup/control_groups.h"
#include "cgroup/systemd_scope.h"

namespace mxc {
namespace {

constexpr std::string_view kPrefix = "mxc-";
constexpr int kAttempts = 1000;
constexpr useconds_t kPauseUs = 10000;

bool IsStillAt(const std::string& path, int borrowed_fd) {
  struct stat named {};
  struct stat open {};
  return ::lstat(path.c_str(), &named) == 0 && ::fstat(borrowed_fd, &open) == 0 &&
         named.st_ino == open.st_ino;
}

// Between mkdir and the lock the group looks like one that was left behind, and another run may remove it:
// then it is made again.
UniqueFd MakeLocked(const std::string& directory) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (::mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) return UniqueFd{};
    UniqueFd lock{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
    if (lock && ::flock(lock.Get(), LOCK_EX) == 0 && IsStillAt(directory, lock.Get())) return lock;
  }
  return UniqueFd{};
}

bool SwitchOn(const std::string& directory, const std::vector<std::string>& controllers) {
  std::string text;
  for (const std::string& controller : controllers) text += (text.empty() ? "+" : " +") + controller;
  return text.empty() || WriteGroupFile(directory + "/cgroup.subtree_control", text);
}

bool Apply(const CgroupSetting& setting, const std::string& directory) {
  return WriteGroupFile(directory + "/" + setting.file, setting.value) ||
         (setting.optional && errno == ENOENT);
}

std::optional<GroupFailure> MakeGroup(const RunGroup& group, std::size_t index,
                                      std::vector<MadeGroup>& made) {
  const GroupFailure itself{.group = index};
  if (!SwitchOn(group.ParentDirectory(), group.plan.switch_on)) return itself;
  UniqueFd lock = MakeLocked(group.directory);
  if (!lock) return itself;
  made.push_back({.group = &group, .lock = std::move(lock)});
  const std::vector<CgroupSetting>& settings = group.plan.settings;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    if (!Apply(settings[i], group.directory)) return GroupFailure{.group = index, .setting = i};
  }
  if (!group.plan.unified) return std::nullopt;
  if (!SwitchOn(group.directory, group.plan.controllers)) return itself;
  if (::mkdir(group.ProcessDirectory().c_str(), 0755) != 0) return itself;
  return std::nullopt;
}

// A group that hands controllers down holds no processes itself. systemd removes this one with the scope.
bool StepAside(const std::string& scope, const std::vector<pid_t>& processes) {
  const std::string aside = scope + "/mxc-cleanup";
  if (::mkdir(aside.c_str(), 0755) != 0) return false;
  return std::all_of(processes.begin(), processes.end(), [&aside](pid_t process) {
    return WriteGroupFile(aside + "/cgroup.procs", std::to_string(process));
  });
}

// Only our own names: "mxc-" and sixteen digits.
bool IsOurs(std::string_view name) {
  return name.starts_with(kPrefix) && name.size() == kPrefix.size() + 16 &&
         name.find_first_not_of("0123456789abcdef", kPrefix.size()) == std::string_view::npos;
}

// The second look proves that the handle is of the process that is in the group, not of one that got its
// number since.
void KillMembers(const RunGroup& group) {
  // Since 5.14 the kernel does it at one stroke.
  if (group.plan.unified && WriteGroupFile(group.directory + "/cgroup.kill", "1")) return;
  std::vector<std::pair<pid_t, UniqueFd>> handles;
  const std::string file = group.ProcessDirectory() + "/cgroup.procs";
  for (const pid_t member : MembersIn(ReadGroupFile(file))) handles.emplace_back(member, HandleOf(member));
  const std::vector<pid_t> still = MembersIn(ReadGroupFile(file));
  for (const auto& [member, handle] : handles) {
    if (std::find(still.begin(), still.end(), member) != still.end()) SignalHandle(handle, SIGKILL);
  }
}

// True when it is gone. A process that is ending keeps its group for a moment.
bool TryRemove(const std::string& directory, bool unified) {
  if (unified) ::rmdir((directory + "/run").c_str());
  return ::rmdir(directory.c_str()) == 0 || errno == ENOENT;
}

bool IsGroup(const std::string& directory) {
  struct statfs system {};
  if (::statfs(directory.c_str(), &system) != 0) return false;
  return system.f_type == CGROUP_SUPER_MAGIC || system.f_type == CGROUP2_SUPER_MAGIC;
}

void Reap(const std::string& directory, bool unified) {
  const UniqueFd lock{::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (lock && ::flock(lock.Get(), LOCK_EX | LOCK_NB) == 0) TryRemove(directory, unified);
}

}  // namespace

Result<std::vector<RunGroup>> NameGroups(const std::vector<SetupAction>& setup) {
  std::vector<RunGroup> groups;
  std::array<char, 17> digits{};
  for (const SetupAction& action : setup) {
    const auto* plan = std::get_if<ControlGroup>(&action);
    if (plan == nullptr) continue;
    if (groups.empty()) {
      std::uint64_t number = 0;
      if (::getrandom(&number, sizeof number, 0) != sizeof number)
        return SystemError(ErrorCode::kSetupFailed, "choose a name for the control group", errno);
      std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
    }
    RunGroup group{.plan = *plan};
    const std::string name = "/" + std::string(kPrefix) + digits.data();
    if (plan->scope) group.scope = plan->parent + name + ".scope";
    group.directory = group.ParentDirectory() + name;
    groups.push_back(std::move(group));
  }
  return groups;
}

std::optional<GroupFailure> MakeGroups(const std::vector<RunGroup>& groups, std::vector<MadeGroup>& made) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].plan.scope) continue;
    const std::optional<GroupFailure> failure = MakeGroup(groups[i], i, made);
    if (failure) return failure;
  }
  return std::nullopt;
}

Error GroupError(const std::vector<RunGroup>& groups, const GroupFailure& failure, int number) {
  const RunGroup& group = groups.at(failure.group);
  std::string what = "make the control group '" + group.directory + "'";
  if (failure.setting != GroupFailure::kNoSetting) {
    const CgroupSetting& setting = group.plan.settings.at(failure.setting);
    what = "write '" + setting.value + "' to '" + group.directory + "/" + setting.file + "'";
  }
  Error error = SystemError(ErrorCode::kSetupFailed, what, number);
  error.hint =
      "the limits of the control group above may not allow it: compare '" + group.ParentDirectory() + "'";
  return error;
}

Status AdmitToScope(const std::vector<RunGroup>& groups, pid_t process, std::vector<MadeGroup>& made) {
  const auto group = std::find_if(groups.begin(), groups.end(),
                                  [](const RunGroup& candidate) { return candidate.plan.scope.has_value(); });
  if (group == groups.end() || process <= 0) return SetupFailed("nobody known asks for a control group");
  const bool stands =
      std::any_of(made.begin(), made.end(), [&](const MadeGroup& entry) { return entry.group == &*group; });
  if (!stands) {
    const std::vector<pid_t> both = {::getpid(), process};
    if (Status asked = AskForScope(*group->plan.scope, group->scope, both); !asked) return asked;
    if (!StepAside(group->scope, both))
      return SystemError(ErrorCode::kSetupFailed, "divide the scope '" + group->scope + "'", errno);
    const auto index = static_cast<std::size_t>(group - groups.begin());
    const std::optional<GroupFailure> failure = MakeGroup(*group, index, made);
    if (failure) return GroupError(groups, *failure, errno);
  }
  if (WriteGroupFile(group->ProcessDirectory() + "/cgroup.procs", std::to_string(process))) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "enter the control group '" + group->ProcessDirectory() + "'",
                     errno);
}

void EndGroups(const std::vector<MadeGroup>& made) {
  for (const MadeGroup& entry : made) KillMembers(*entry.group);
}

void RemoveGroups(const std::vector<MadeGroup>& made) {
  for (auto entry = made.rbegin(); entry != made.rend(); ++entry) {
    const RunGroup& group = *entry->group;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      if (TryRemove(group.directory, group.plan.unified)) break;
      KillMembers(group);
      ::usleep(kPauseUs);
    }
  }
}

void RemoveLeftGroups(const std::vector<RunGroup>& groups) {
  for (const RunGroup& group : groups) {
    const std::string_view name = NameOf(group.directory);
    if (IsOurs(name) && IsGroup(group.directory)) Reap(group.directory, group.plan.unified);
  }
}

void ReapStaleGroups(const std::vector<RunGroup>& groups) {
  for (const RunGroup& group : groups) {
    const std::unique_ptr<DIR, int (*)(DIR*)> parent(::opendir(group.plan.parent.c_str()), ::closedir);
    while (parent) {
      const dirent* entry = ::readdir(parent.get());  // NOLINT(concurrency-mt-unsafe): own stream
      if (entry == nullptr) break;
      if (!IsOurs(entry->d_name)) continue;
      Reap(group.plan.parent + "/" + entry->d_name, group.plan.unified);
    }
  }
}

}  // namespace mxc
