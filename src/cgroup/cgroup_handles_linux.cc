#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>

#include "cgroup/cgroup_files.h"
#include "cgroup/control_groups.h"

namespace mxc {
namespace {

// Where the kernel counts how often a limit took effect.
struct Counter {
  Resource resource;
  std::string_view controller_file;  // only groups with this setting have the limit
  std::string_view file;
  std::string_view key;
};

constexpr Counter kCounters[] = {
    {Resource::kMemory, "memory.max", "memory.events", "oom_kill"},
    {Resource::kMemory, "memory.limit_in_bytes", "memory.oom_control", "oom_kill"},
    {Resource::kProcesses, "pids.max", "pids.events", "max"},
    {Resource::kCpus, "cpu.max", "cpu.stat", "nr_throttled"},
    {Resource::kCpus, "cpu.cfs_quota_us", "cpu.stat", "nr_throttled"},
};

// The number behind `key` in lines of "key number"; 0 when it is not there.
std::uint64_t NumberOf(std::string_view text, std::string_view key) {
  std::uint64_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ') {
      std::from_chars(line.data() + key.size() + 1, line.data() + line.size(), number);
    }
    at += line.size() + 1;
  }
  return number;
}

bool HasSetting(const ControlGroup& plan, std::string_view file) {
  return std::any_of(plan.settings.begin(), plan.settings.end(),
                     [file](const CgroupSetting& setting) { return setting.file == file; });
}

// Older kernels count a refused process in the group it is in, newer ones where the limit stands.
std::uint64_t CountIn(const RunGroup& group, const Counter& counter) {
  if (!HasSetting(group.plan, counter.controller_file)) return 0;
  const std::string file = "/" + std::string(counter.file);
  return NumberOf(ReadGroupFile(group.directory + file), counter.key) +
         NumberOf(ReadGroupFile(group.ProcessDirectory() + file), counter.key);
}

UniqueFd Entrance(const RunGroup& group) {
  return UniqueFd{::open((group.ProcessDirectory() + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC)};
}

Error CannotEnter(const RunGroup& group) {
  return SystemError(ErrorCode::kSetupFailed, "open the control group '" + group.ProcessDirectory() + "'",
                     errno);
}

}  // namespace

Result<GroupHandles> GroupHandles::Open(const std::vector<RunGroup>& groups, int admission) {
  GroupHandles handles;
  for (const RunGroup& group : groups) {
    const bool asks = group.plan.scope.has_value();
    UniqueFd entrance = asks ? UniqueFd{::fcntl(admission, F_DUPFD_CLOEXEC, 3)} : Entrance(group);
    if (!entrance) return CannotEnter(group);
    if (!group.plan.unified || asks) {
      handles.others_.push_back(std::move(entrance));
      continue;
    }
    handles.unified_ = std::move(entrance);
    handles.unified_directory_.Reset(
        ::open(group.ProcessDirectory().c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!handles.unified_directory_) return CannotEnter(group);
  }
  return handles;
}

std::vector<int> GroupHandles::OtherEntrances() const {
  std::vector<int> entrances;
  for (const UniqueFd& entrance : others_) entrances.push_back(entrance.Get());
  return entrances;
}

std::vector<int> GroupHandles::Entrances() const {
  std::vector<int> entrances = OtherEntrances();
  if (unified_) entrances.push_back(unified_.Get());
  return entrances;
}

ReachCounts CountReached(const std::vector<RunGroup>& groups) {
  ReachCounts counts;
  for (const Counter& counter : kCounters) {
    std::uint64_t count = 0;
    for (const RunGroup& group : groups) count += CountIn(group, counter);
    counts.push_back(count);
  }
  return counts;
}

std::vector<Resource> ReachedIn(const std::vector<RunGroup>& groups, const ReachCounts& before) {
  std::vector<Resource> reached;
  const ReachCounts counts = CountReached(groups);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > (before.empty() ? 0 : before[i])) reached.push_back(kCounters[i].resource);
  }
  return reached;
}

std::uint64_t CpuTimeMs(const std::vector<RunGroup>& groups) {
  std::uint64_t most = 0;
  for (const RunGroup& group : groups) {
    const std::uint64_t microseconds = NumberOf(ReadGroupFile(group.directory + "/cpu.stat"), "usage_usec");
    const std::uint64_t nanoseconds =
        NumberOf("usage " + ReadGroupFile(group.directory + "/cpuacct.usage"), "usage");
    most = std::max({most, microseconds / 1000, nanoseconds / 1000000});
  }
  return most;
}

}  // namespace mxc
