#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>

#include "run/reached_limits.h"

namespace mxc {
namespace {

const ResourceLimit* Find(const Plan& plan, Resource resource) {
  const auto found = std::find_if(plan.resources.begin(), plan.resources.end(),
                                  [resource](const auto& limit) { return limit.resource == resource; });
  return found == plan.resources.end() ? nullptr : &*found;
}

// What it has meant for the command; nothing for a limit that only slows down.
std::string Consequence(Resource resource) {
  switch (resource) {
    case Resource::kMemory:
      return "processes were killed";
    case Resource::kProcesses:
      return "some could not be started";
    case Resource::kFileSize:
      return "a write was refused";
    case Resource::kCpuTime:
      return "the run was ended";
    case Resource::kCpus:
    case Resource::kOpenFiles:
    case Resource::kTmp:
      break;
  }
  return {};
}

// What sets a limit, for whoever wants another.
std::string WhereItStands(const std::string& pointer) {
  constexpr std::string_view kOfPolicy = "/resources/";
  if (!pointer.starts_with(kOfPolicy)) return "the operator's ceiling sets it";
  const std::string key = pointer.substr(kOfPolicy.size());
  return "`" + key + "` of `resources`" + (key == "memoryMb" ? ", or --memory," : "") + " sets it";
}

}  // namespace

bool Has(const std::vector<Resource>& resources, Resource resource) {
  return std::find(resources.begin(), resources.end(), resource) != resources.end();
}

std::uint64_t CpuTimeLimitMs(const Plan& plan) {
  const ResourceLimit* limit = Find(plan, Resource::kCpuTime);
  return limit != nullptr ? limit->amount : 0;
}

std::vector<Resource> ReachedLimits(const Plan& plan, const std::vector<RunGroup>& groups,
                                    const ReachCounts& before, const Outcome& outcome) {
  std::vector<Resource> reached = ReachedIn(groups, before);
  if (outcome.exit_code == 128 + SIGXFSZ && Find(plan, Resource::kFileSize) != nullptr)
    reached.push_back(Resource::kFileSize);
  if (outcome.cpu_time_out) reached.push_back(Resource::kCpuTime);
  return reached;
}

std::vector<Warning> ReachedWarnings(const Plan& plan, const Outcome& outcome) {
  std::vector<Warning> warnings;
  for (const Resource resource : outcome.reached) {
    const ResourceLimit* limit = Find(plan, resource);
    const std::string consequence = Consequence(resource);
    if (limit == nullptr || consequence.empty()) continue;
    warnings.push_back({.category = "limit-reached",
                        .message = "the limit of " + AmountText(*limit) + " was reached: " + consequence +
                                   "; " + WhereItStands(limit->pointer),
                        .pointer = limit->pointer});
  }
  return warnings;
}

Warning FullTmpWarning(const Plan& plan, int mib) {
  const ResourceLimit* const limit = Find(plan, Resource::kTmp);
  const std::string pointer = limit != nullptr ? limit->pointer : "/resources/tmpMb";
  return {.category = "limit-reached",
          .message = "/tmp is full, which holds " + std::to_string(mib) +
                     " MiB here: more could not be written; " + WhereItStands(pointer),
          .pointer = pointer};
}

}  // namespace mxc
