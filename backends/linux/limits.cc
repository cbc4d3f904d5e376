#include "backends/linux/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace mxc::linux_backend {
namespace {

// Of which a processor share is handed out; 100 ms is the kernel's own default.
constexpr std::uint64_t kPeriodUs = 100000;

bool Contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Controller that holds a limit; empty when no control group does.
std::string_view ControllerOf(Resource resource) {
  switch (resource) {
    case Resource::kMemory:
      return "memory";
    case Resource::kCpus:
      return "cpu";
    case Resource::kProcesses:
      return "pids";
    case Resource::kCpuTime:
      return "cpuacct";
    case Resource::kOpenFiles:
    case Resource::kTmp:
    case Resource::kFileSize:
      break;
  }
  return {};
}

const CgroupPlace* FirstPlace(const CgroupSupport& cgroups, std::string_view controller, bool unified) {
  for (const CgroupPlace& place : cgroups.places) {
    if (place.unified == unified && Contains(place.controllers, controller)) return &place;
  }
  return nullptr;
}

// A controller is bound to one hierarchy; where version 1 has it, version 2 does not.
const CgroupPlace* LegacyPlace(const CgroupSupport& cgroups, std::string_view controller) {
  return FirstPlace(cgroups, controller, false);
}

std::vector<CgroupSetting> SettingsOf(const ResourceLimit& limit, bool unified, std::uint64_t engine_tasks) {
  const std::string amount = std::to_string(limit.amount);
  const std::uint64_t quota = limit.amount * kPeriodUs / 1000;
  switch (limit.resource) {
    case Resource::kMemory:
      // Without swap: a limit that moves the excess to the disk makes the whole host slow.
      if (unified) return {{"memory.max", amount}, {"memory.swap.max", "0", true}};
      return {{"memory.limit_in_bytes", amount},
              {"memory.swappiness", "0"},
              {"memory.memsw.limit_in_bytes", amount, true},
              // Buffers of TCP and UDP are counted apart there.
              {"memory.kmem.tcp.limit_in_bytes", amount, true}};
    case Resource::kCpus:
      if (unified) return {{"cpu.max", fmt::format("{} {}", quota, kPeriodUs)}};
      return {{"cpu.cfs_period_us", std::to_string(kPeriodUs)}, {"cpu.cfs_quota_us", std::to_string(quota)}};
    case Resource::kProcesses:
      return {{"pids.max", std::to_string(limit.amount + engine_tasks)}};
    case Resource::kCpuTime:
    case Resource::kOpenFiles:
    case Resource::kTmp:
    case Resource::kFileSize:
      break;
  }
  return {};
}

class LimitLowering {
 public:
  LimitLowering(const Policy& policy, const Facts& facts, std::vector<MountNode>& mounts)
      : policy_(policy), facts_(facts), mounts_(mounts) {}

  Result<LoweredLimits> Lower() {
    for (const ResourceLimit& limit : policy_.resources) {
      const std::string_view controller = ControllerOf(limit.resource);
      const bool uncounted = limit.resource == Resource::kProcesses && facts_.counts_own_tasks &&
                             PlaceFor(controller) == nullptr;
      Status held = limit.resource == Resource::kTmp  ? Tmp(limit)
                    : controller.empty() || uncounted ? WithoutGroup(limit)
                                                      : InGroup(limit);
      if (!held) return held.error();
    }
    return std::move(lowered_);
  }

 private:
  // Of version 2 a run has one group: the nearest place that has everything asked for.
  [[nodiscard]] const CgroupPlace* PlaceFor(std::string_view controller) const {
    if (const CgroupPlace* legacy = LegacyPlace(policy_.cgroups, controller)) return legacy;
    const std::vector<std::string_view> needed = NeededOfUnified();
    for (const CgroupPlace& place : policy_.cgroups.places) {
      const bool all = std::all_of(needed.begin(), needed.end(), [&place](std::string_view name) {
        return Contains(place.controllers, name);
      });
      if (place.unified && all && Contains(place.controllers, controller)) return &place;
    }
    return nullptr;
  }

  [[nodiscard]] std::vector<std::string_view> NeededOfUnified() const {
    std::vector<std::string_view> needed;
    for (const ResourceLimit& limit : policy_.resources) {
      const std::string_view controller = ControllerOf(limit.resource);
      if (controller.empty() || LegacyPlace(policy_.cgroups, controller) != nullptr) continue;
      if (FirstPlace(policy_.cgroups, controller, true) != nullptr) needed.push_back(controller);
    }
    return needed;
  }

  ControlGroup& GroupIn(const CgroupPlace& place) {
    const auto known =
        std::find_if(lowered_.groups.begin(), lowered_.groups.end(),
                     [&place](const ControlGroup& group) { return group.parent == place.directory; });
    if (known != lowered_.groups.end()) return *known;
    return lowered_.groups.emplace_back(
        ControlGroup{.parent = place.directory, .unified = place.unified, .scope = place.scope});
  }

  Status InGroup(const ResourceLimit& limit) {
    const std::string controller{ControllerOf(limit.resource)};
    const CgroupPlace* place = PlaceFor(controller);
    if (place == nullptr) return Refuse(limit);
    ControlGroup& group = GroupIn(*place);
    for (CgroupSetting& setting : SettingsOf(limit, place->unified, facts_.engine_tasks)) {
      group.settings.push_back(std::move(setting));
    }
    const bool counted_anyway = limit.resource == Resource::kCpuTime;
    if (place->unified && !counted_anyway) group.controllers.push_back(controller);
    if (Contains(place->switched_off, controller)) group.switch_on.push_back(controller);
    const std::string where =
        fmt::format("control group of version {} in {}{}, controller {}", place->unified ? 2 : 1,
                    place->scope ? "a scope of systemd's below " : "", place->directory,
                    place->unified && counted_anyway ? "cpu.stat" : controller);
    if (counted_anyway) {
      Hold(limit, Strength::kTrustedProcess, "the launcher ends the run; counted by a " + where);
    } else {
      Hold(limit, Strength::kKernel, where);
    }
    return Done{};
  }

  Status WithoutGroup(const ResourceLimit& limit) {
    ProcessLimits& limits = lowered_.processes;
    if (limit.resource == Resource::kOpenFiles) {
      limits.open_files = limit.amount;
      Hold(limit, Strength::kKernel, "RLIMIT_NOFILE of each process");
    } else if (limit.resource == Resource::kFileSize) {
      limits.file_bytes = limit.amount;
      Hold(limit, Strength::kKernel, "RLIMIT_FSIZE of each process");
    } else if (limit.resource == Resource::kProcesses) {
      limits.tasks = limit.amount + facts_.engine_tasks;
      Hold(limit, Strength::kKernel, "RLIMIT_NPROC, counted in the sandbox's own user namespace");
    }
    return Done{};
  }

  Status Tmp(const ResourceLimit& limit) {
    TmpfsMount* tmp = nullptr;
    TmpfsMount* shared_memory = nullptr;
    for (MountNode& node : mounts_) {
      auto* tmpfs = std::get_if<TmpfsMount>(&node);
      if (tmpfs != nullptr && tmpfs->target == "/tmp") tmp = tmpfs;
      if (tmpfs != nullptr && tmpfs->target == "/dev/shm") shared_memory = tmpfs;
    }
    if (tmp == nullptr || facts_.why_unsized != nullptr) return Refuse(limit);
    tmp->size_bytes = limit.amount;
    if (shared_memory != nullptr)
      shared_memory->size_bytes = std::min(shared_memory->size_bytes, limit.amount);
    Hold(limit, Strength::kKernel, "size of the tmpfs at /tmp");
    return Done{};
  }

  [[nodiscard]] Error Refuse(const ResourceLimit& limit) const {
    Error error{.code = ErrorCode::kUnenforceable,
                .message = fmt::format("'at most {}' cannot be held here: ", AmountText(limit)),
                .pointer = limit.pointer};
    if (limit.resource == Resource::kTmp) {
      const bool unsized = facts_.why_unsized != nullptr;
      error.message += unsized ? facts_.why_unsized : "/tmp is the host's, because the policy grants it";
      error.hint =
          unsized ? "remove tmpMb, or use containment 'namespaces'" : "remove the grant of /tmp, or tmpMb";
      return error;
    }
    const std::string_view controller = ControllerOf(limit.resource);
    for (const CgroupGap& gap : policy_.cgroups.gaps) {
      if (gap.controller != controller) continue;
      error.message += fmt::format("{} (controller {})", gap.reason, controller);
      error.hint = gap.remedy;
      if (limit.resource == Resource::kCpuTime) error.hint += "; process.timeout needs nothing of this";
      return error;
    }
    error.message += "no control group that the caller may use has everything that `resources` asks for";
    error.hint = "name fewer limits of memory, cpus, processes and processor time, or run as root";
    return error;
  }

  void Hold(const ResourceLimit& limit, Strength strength, std::string mechanism) {
    lowered_.ledger.push_back({limit.pointer, strength, std::move(mechanism)});
  }

  const Policy& policy_;
  const Facts& facts_;
  std::vector<MountNode>& mounts_;
  LoweredLimits lowered_ = {};
};

}  // namespace

Result<LoweredLimits> LowerLimits(const Policy& policy, const Facts& facts, std::vector<MountNode>& mounts) {
  return LimitLowering{policy, facts, mounts}.Lower();
}

}  // namespace mxc::linux_backend
