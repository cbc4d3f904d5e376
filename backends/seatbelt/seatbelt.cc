#include "backends/seatbelt/seatbelt.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "backends/seatbelt/files.h"
#include "backends/seatbelt/network.h"
#include "backends/seatbelt/options.h"
#include "backends/seatbelt/services.h"

namespace mxc::seatbelt {
namespace {

// What no profile reaches.
constexpr std::string_view kNotCovered[] = {
    "the loopback, where it is in reach, is the host's: there is none of the sandbox's own",
    "a name that is denied and does not exist can be created in other upper and lower case",
};

// A process that may look up the first and not the second carries the sandbox, whatever session or parent it
// has by now: so the launcher finds what it has to end.
void AddMark(Profile& profile) {
  profile.Comment("the mark by which the launcher knows the processes of this run");
  profile.Allow("mach-lookup", "(global-name " + Profile::LaunchParameter("MARK") + ")");
  profile.Deny("mach-lookup", "(global-name " + Profile::LaunchParameter("NO_MARK") + ")");
}

Status LowerResources(const Policy& policy, SeatbeltSandbox& sandbox, Plan& plan) {
  for (const ResourceLimit& limit : policy.resources) {
    ProcessLimits& limits = sandbox.limits;
    if (limit.resource == Resource::kOpenFiles) {
      limits.open_files = limit.amount;
    } else if (limit.resource == Resource::kFileSize) {
      limits.file_bytes = limit.amount;
    } else {
      return Unenforceable("macOS has no limit of `" + std::string(Name(limit.resource)) +
                               "` for all processes of a run together",
                           limit.pointer, "remove the limit");
    }
    plan.ledger.push_back({limit.pointer, Strength::kKernel,
                           limit.resource == Resource::kOpenFiles ? "RLIMIT_NOFILE" : "RLIMIT_FSIZE"});
  }
  return Done{};
}

// The proxy's own variables, in place of whatever the policy has for them. Those of the network gateway are
// the launcher's to add: it knows the port.
std::vector<Variable> CommandEnvironment(const Policy& policy, bool gateway) {
  std::vector<Variable> environment = policy.process.environment;
  if (!policy.network.proxy && !gateway) return environment;
  constexpr std::string_view kProxies[] = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
                                           "http_proxy", "https_proxy", "all_proxy"};
  constexpr std::string_view kExceptions[] = {"NO_PROXY", "no_proxy"};
  const auto is_one_of = [](const std::string& name, const auto& names) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
  };
  std::erase_if(environment, [&](const Variable& variable) {
    return is_one_of(variable.name, kProxies) || is_one_of(variable.name, kExceptions);
  });
  if (gateway) return environment;
  for (const std::string_view name : kProxies) {
    environment.push_back({.name = std::string(name), .value = Secret{policy.network.proxy->url}});
  }
  return environment;
}

void FillCommand(const Policy& policy, bool gateway, SeatbeltSandbox& sandbox) {
  sandbox.new_session = !policy.interactive;
  sandbox.argv = policy.process.argv;
  sandbox.environment = CommandEnvironment(policy, gateway);
  sandbox.cwd = policy.process.cwd;
}

// Whoever brings a profile has what it says, and nothing that the policy says: no isolation that we know of.
void TakeOverride(const Policy& policy, const Options& options, SeatbeltSandbox& sandbox, Plan& plan) {
  plan.tier = Tier::kNone;
  plan.relaxations.emplace_back("profile-override");
  plan.not_covered.emplace_back(
      "the profile of the configuration decides; nothing of the policy is held by ours");
  for (const Clause& clause : policy.clauses) {
    plan.ledger.push_back(
        {clause.pointer, Strength::kCooperative, "whatever the profile of the configuration says"});
  }
  sandbox.private_temp = false;
  sandbox.marked = false;
  sandbox.profile = options.profile_override;
}

Status WriteProfile(const Policy& policy, const Options& options, SeatbeltSandbox& sandbox, Plan& plan) {
  Profile profile;
  AllowProcesses(profile);
  AllowSystemValues(profile);
  AllowServices(profile);
  if (Status desktop = LowerDesktop(policy, options, profile, plan); !desktop) return desktop;
  LowerOptions(options, profile, plan);
  LowerFiles(policy, profile, sandbox, plan);
  DenyAgents(profile);
  if (Status network = LowerNetwork(policy, profile, plan); !network) return network;
  AddMark(profile);
  sandbox.profile = profile.TakeText();
  sandbox.parameters = profile.TakeParameters();
  for (const std::string_view text : kNotCovered) plan.not_covered.emplace_back(text);
  return Done{};
}

}  // namespace

Result<Plan> PlanSeatbelt(const Policy& policy, const Support& support) {
  Result<Options> options = ReadOptions(policy);
  if (!options) return options.error();
  Plan plan{.containment = Containment::kSeatbelt, .tier = support.tier};
  SeatbeltSandbox sandbox;
  if (options->profile_override.empty()) {
    if (Status written = WriteProfile(policy, *options, sandbox, plan); !written) return written.error();
  } else {
    TakeOverride(policy, *options, sandbox, plan);
  }
  if (Status resources = LowerResources(policy, sandbox, plan); !resources) return resources.error();
  FillCommand(policy, plan.egress.has_value(), sandbox);
  const Terminal terminal = sandbox.new_session ? Terminal::kInherit : Terminal::kPrivatePty;
  plan.launch = SeatbeltLaunch{.sandbox = std::move(sandbox), .terminal = terminal};
  return plan;
}

const Backend& SeatbeltBackend() {
  static const Backend kBackend{.containment = Containment::kSeatbelt,
                                .probe = ProbeSeatbelt,
                                .plan = PlanSeatbelt,
                                .explain = Explain()};
  return kBackend;
}

}  // namespace mxc::seatbelt
