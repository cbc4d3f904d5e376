#include "backends/appcontainer/limits.h"

#include <string>
#include <utility>

namespace mxc::appcontainer {

JobLimits PlanLimits(const Policy& policy, Plan& plan) {
  JobLimits limits;
  const auto hold = [&plan](const ResourceLimit& limit, std::uint64_t& field, std::string mechanism) {
    field = limit.amount;
    plan.ledger.push_back({limit.pointer, Strength::kKernel, std::move(mechanism)});
  };
  for (const ResourceLimit& limit : policy.resources) {
    switch (limit.resource) {
      case Resource::kMemory:
        hold(limit, limits.memory_bytes, "committed memory of the job");
        break;
      case Resource::kCpus:
        hold(limit, limits.cpu_permille, "rate of the job, as its share of all processors");
        break;
      case Resource::kProcesses:
        hold(limit, limits.processes, "active processes of the job; threads are not counted");
        plan.not_covered.emplace_back("threads are not counted: the limit is one of processes");
        break;
      case Resource::kCpuTime:
        hold(limit, limits.cpu_time_ms, "counted by the job; the launcher ends it");
        break;
      case Resource::kOpenFiles:
      case Resource::kTmp:
      case Resource::kFileSize:
        break;
    }
  }
  return limits;
}

}  // namespace mxc::appcontainer
