#include "backends/isolation_session/isolation_session.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/quoted.h"
#include "mxc/command_line.h"

namespace mxc::isolation_session {
namespace {

using Document = nlohmann::ordered_json;

constexpr std::size_t kMaxAppId = 256;           // characters
constexpr std::uint64_t kServiceGraceMs = 5000;  // the launcher's own time-out comes first
constexpr std::string_view kSection = "/isolationSession";

Support Probe(const Host& host, ProbeDepth depth) {
  if (depth == ProbeDepth::kAssumed) return {.usable = true, .tier = Tier::kProcess};
  if (host.System() != OperatingSystem::kWindows)
    return OfAnotherSystem(Containment::kIsolationSession, host.System());
  WindowsFacts facts = host.Windows();
  Support support =
      Unusable(ErrorCode::kNotBuilt,
               facts.isolation_session ? "this build starts no isolation session"
                                       : "this build starts no isolation session, nor has this Windows any "
                                         "(Windows.AI.IsolationSession.IsoSessionOps)",
               "use the containment \"processcontainer\"");
  support.windows = std::move(facts);
  return support;
}

// A user of its own with the machine's network: a session holds nothing of these clauses.
Status CheckPolicy(const Policy& policy) {
  const Network& network = policy.network;
  const bool directional = network.egress == RuleAction::kAllow && network.ingress == RuleAction::kAllow &&
                           network.host_loopback == RuleAction::kAllow;
  const bool rules =
      !network.allow.empty() || !network.deny.empty() || network.proxy || !network.publish.empty();
  if (!policy.paths.empty()) {
    return Conflict("an isolation session shares no files", policy.paths.front().pointer,
                    "remove the section `filesystem`");
  }
  for (const std::string* pointer :
       {&policy.ui.disabled_pointer, &policy.ui.clipboard_pointer, &policy.ui.injection_pointer}) {
    if (!pointer->empty())
      return Conflict("an isolation session has a desktop of its own", *pointer, "remove the section `ui`");
  }
  if (rules || !(directional || network.share_host)) {
    return Conflict("an isolation session has the whole network", "/network",
                    "allow egress, ingress and hostLoopback, without rules and without a proxy");
  }
  if (!policy.destroy_on_exit)
    return Conflict("the session of a run ends with it", "/lifecycle/destroyOnExit", "leave it true");
  if (policy.output.Pumped()) {
    return Unenforceable("the output of a session is neither capped nor redacted", "/output",
                         "remove the section");
  }
  return Done{};
}

std::string Pointer(std::string_view rest) { return std::string(kSection) + std::string(rest); }

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// It travels in the identifier of a persistent session.
Status CheckAppId(const std::string& id) {
  const auto characters = static_cast<std::size_t>(std::count_if(
      id.begin(), id.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  if (characters <= kMaxAppId && std::none_of(id.begin(), id.end(), IsControl)) return Done{};
  return Conflict("an appId has up to 256 characters, and no control characters", Pointer("/provision/appId"),
                  "write the package family name, as PFN:NAME, or another short name");
}

// The account of Entra that a session is for. Its token is a secret: it is looked at and not kept.
Result<std::string> AccountOf(const Json& phase, std::string_view pointer) {
  const Json& user = phase.At("user");
  if (user.kind == Json::Kind::kNull) return std::string();
  for (const char* key : {"upn", "wamToken"}) {
    if (!user.At(key).text.empty()) continue;
    return Conflict(
        std::string("an account of Entra has a `upn` and a `wamToken`, and `") + key + "` is missing",
        Pointer(pointer), "write both, or leave `user` out for a local account");
  }
  const std::string& name = user.At("upn").text;
  const std::size_t at = name.find('@');
  if (at != 0 && at != std::string::npos && at + 1 < name.size() &&
      std::none_of(name.begin(), name.end(), IsControl))
    return name;
  return Conflict("the `upn` is no user principal name", Pointer(pointer) + "/upn",
                  "write it as NAME@DOMAIN");
}

void AddNetwork(const Network& network, Plan& plan) {
  for (const std::string* pointer : {&network.egress_pointer, &network.ingress_pointer,
                                     &network.host_loopback_pointer, &network.share_host_pointer})
    plan.AddToLedger(*pointer, "the network of the machine, as it is");
  plan.relaxations.emplace_back("shared-host-network");
}

Result<Plan> MakePlanFor(const Policy& policy, const Support& support) {
  if (Status checked = CheckPolicy(policy); !checked) return checked.error();
  const Json& provision = policy.section.At("provision");
  const std::string& app = provision.At("appId").text;
  if (Status checked = CheckAppId(app); !checked) return checked.error();
  Result<std::string> account = AccountOf(provision, "/provision/user");
  if (!account) return account.error();
  if (!support.usable) return Error{.code = support.code, .message = support.reason, .hint = support.remedy};

  const Process& process = policy.process;
  std::string line = process.command_line;
  if (line.empty() && !policy.stays) line = JoinArguments(process.argv, QuoteFor::kCmd);
  IsolationSession session{
      .command_line = std::move(line),
      .environment = process.environment,
      .cwd = process.cwd,
      .service_timeout_ms = process.timeout_ms == 0 ? 0 : process.timeout_ms + kServiceGraceMs,
      .application = app,
      .account = std::move(*account)};
  Plan plan{.containment = Containment::kIsolationSession, .tier = Tier::kProcess};
  AddNetwork(policy.network, plan);
  plan.AddToLedger(policy.private_temp_pointer, "the profile of the session's own user");
  plan.not_covered = {"the network: the session reaches whatever this machine reaches",
                      "files that every user of the machine may read"};
  plan.launch = IsolationSessionLaunch{.sandbox = std::move(session)};
  return plan;
}

const IsolationSession& SessionOf(const Plan& plan) {
  return std::get<IsolationSessionLaunch>(plan.launch).sandbox;
}

Explanation Explain() {
  return {.text =
              [](const Plan& plan, ExplainPage& page) {
                const IsolationSession& session = SessionOf(plan);
                page.Line("account", session.account.empty() ? "a local one, of this session"
                                                             : Quoted(session.account) + ", of Entra");
                if (!session.application.empty()) page.Line("appId", Quoted(session.application));
                if (!session.command_line.empty())
                  page.Line("starts", "cmd.exe /c " + Quoted(session.command_line));
              },
          .json =
              [](const Plan& plan) {
                const IsolationSession& session = SessionOf(plan);
                const Document members = {{"isolationSession",
                                           {{"account", session.account},
                                            {"appId", session.application},
                                            {"commandLine", session.command_line},
                                            {"cwd", session.cwd},
                                            {"serviceTimeoutMs", session.service_timeout_ms}}}};
                return members.dump(-1, ' ', false, Document::error_handler_t::replace);
              }};
}

}  // namespace

const Backend& IsolationSessionBackend() {
  static const Backend kBackend{.containment = Containment::kIsolationSession,
                                .probe = Probe,
                                .plan = MakePlanFor,
                                .explain = Explain()};
  return kBackend;
}

}  // namespace mxc::isolation_session
