#include "run_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/archive.h"
#include "base/quoted.h"
#include "policy/denial.h"
#include "policy/upstream.h"
#include "profiles/profile.h"
#include "report/redact.h"
#include "report/report.h"
#include "run/run.h"

namespace mxc {

// What a DenialJudge reads of them.
template <class Archive, class AnyRule>
void VisitJudged(Archive& archive, AnyRule& rule) {
  archive(rule.path, rule.access, rule.origin, rule.pointer, rule.source);
}
void Visit(ArchiveWriter& archive, const PathRule& rule) { VisitJudged(archive, rule); }
void Visit(ArchiveReader& archive, PathRule& rule) { VisitJudged(archive, rule); }

void Visit(ArchiveWriter& archive, const HomeFile& file) { archive(file.name); }
void Visit(ArchiveReader& archive, HomeFile& file) { archive(file.name); }

template <class Archive, class AnyPlace>
void VisitPlace(Archive& archive, AnyPlace& place) {
  archive(place.pointer, place.flag, place.container);
}
void Visit(ArchiveWriter& archive, const FlagPlace& place) { VisitPlace(archive, place); }
void Visit(ArchiveReader& archive, FlagPlace& place) { VisitPlace(archive, place); }

template <class Archive, class AnyPort>
void VisitPublished(Archive& archive, AnyPort& port) {
  archive(port.host, port.guest, port.pointer);
}
void Visit(ArchiveWriter& archive, const PublishedPort& port) { VisitPublished(archive, port); }
void Visit(ArchiveReader& archive, PublishedPort& port) { VisitPublished(archive, port); }

template <class Archive, class AnyPort>
void VisitLoopback(Archive& archive, AnyPort& port) {
  archive(port.port, port.pointer);
}
void Visit(ArchiveWriter& archive, const LoopbackPort& port) { VisitLoopback(archive, port); }
void Visit(ArchiveReader& archive, LoopbackPort& port) { VisitLoopback(archive, port); }

namespace {

// Beside the policy.
struct Circumstances {
  PolicyForm form = PolicyForm::kDirectional;
  bool leaves_proxy = false;
  std::vector<FlagPlace> flags = {};
};

template <class Archive, class AnyPolicy, class AnyCircumstances>
void VisitBasis(Archive& archive, AnyPolicy& policy, AnyCircumstances& around) {
  archive(policy.paths, policy.workspace.host, policy.workspace.guest, policy.home_files, around.form,
          around.leaves_proxy, around.flags);
  auto& network = policy.network;
  archive(network.publish, network.loopback_ports, network.host_loopback, network.host_loopback_pointer);
}

// As DNS has names.
std::string InSmallLetters(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c; });
  return text;
}

// The environment names a proxy that the policy does not use.
bool LeavesProxy(const Policy& policy, const Host& host) {
  if (!policy.network.upstream.pointer.empty() || policy.network.proxy) return false;
  const Result<Upstream> named = ReadUpstream(host, "");
  return named && (named->http || named->others);
}

// The clause by which the command reaches this port of the host's loopback; "": none.
std::string OpeningOf(const Network& network, std::uint16_t port) {
  for (const LoopbackPort& open : network.loopback_ports) {
    if (open.port == port) return open.pointer;
  }
  return network.host_loopback == RuleAction::kAllow ? network.host_loopback_pointer : "";
}

std::optional<GatewayRecord> MissedLoopback(const Network& network, std::uint16_t port) {
  const auto& published = network.publish;
  if (std::any_of(published.begin(), published.end(), [&](const auto& each) { return each.host == port; }))
    return std::nullopt;
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return GatewayRecord{
      .time_ms = static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(now).count()),
      .verdict = RuleAction::kDeny,
      .name = std::string(kSandboxName),
      .address = "127.0.0.1",
      .port = port,
      .pointer = OpeningOf(network, port),
      .reason =
          "the sandbox has a loopback of its own, where nothing listens; at the host's, a program does"};
}

}  // namespace

// Whoever reads it decides by it what to try next, so what a command may not know is not in it.
std::string RunSummary::Short() const {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> lines = files.Short();
  const std::vector<std::string> hosts = network.Short();
  // Of both the first.
  if (!hosts.empty()) lines.insert(lines.begin() + (lines.empty() ? 0 : 1), hosts.begin(), hosts.end());
  std::erase_if(lines, [&](const std::string& line) {
    return std::any_of(secrets.begin(), secrets.end(), [&](const std::string& secret) {
      return InSmallLetters(line).find(InSmallLetters(Escaped(secret))) != std::string::npos;
    });
  });
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < kMost; ++i) {
    const bool more = i == kMost - 1 && lines.size() > kMost;
    text += more ? fmt::format("mxc-exec: refused: {} more; mxc-exec --report lists them\n", lines.size() - i)
                 : "mxc-exec: refused: " + lines[i] + "\n";
  }
  return text;
}

namespace {

bool Traces(const Plan& plan) {
  constexpr std::string_view kTracers[] = {"gdb", "lldb", "ltrace", "rr", "strace"};
  const std::string_view name = std::string_view(plan.shape.word).substr(plan.shape.word.rfind('/') + 1);
  return std::find(std::begin(kTracers), std::end(kTracers), name) != std::end(kTracers);
}

}  // namespace

void RunSummary::Print(const Plan& plan, bool failed) const {
  if (brief) {
    if (failed) PrintMessage(Short());
    return;
  }
  const LinuxSandbox* const sandbox = LinuxSandboxOf(plan.launch);
  if (plan.egress || (sandbox != nullptr && sandbox->gateway)) {
    PrintMessage(network.Text());
  } else if (sandbox != nullptr && sandbox->private_network) {
    PrintMessage(
        std::holds_alternative<PersistentLaunch>(plan.launch)
            ? "mxc-exec: network: none, and not watched; `mxc-exec start --report` has it watched\n"
            : "mxc-exec: network: none, and not watched; `mxc-exec --probe` says what the gateway lacks "
              "here\n");
    if (network.HasRefusals()) PrintMessage(network.Text());  // of the loopback, which takes no gateway
  }
  PrintMessage(
      CanWatchFiles(plan)
          ? files.Text()
          : "mxc-exec: files: not watched; the containments namespaces and lxc can say what was denied\n");
  // The kernel refuses these without asking anybody: nothing else tells.
  if (failed && Traces(plan) && TraitsOf(plan.containment).isolates)
    PrintMessage("mxc-exec: no process in the sandbox may trace another (ptrace): run the tracer outside\n");
  if (failed && as_root && TraitsOf(plan.containment).isolates)
    PrintMessage(
        "mxc-exec: root has no privileges in the sandbox: chown, su, mount and package managers fail\n");
}

PolicyForm FormOf(const Config& config, const Options& options) {
  if (!options.HasConfig()) return PolicyForm::kFlags;
  const bool legacy =
      config.dialect == Dialect::kLegacy || config.network.egress_pointer == "/network/defaultPolicy";
  return legacy ? PolicyForm::kLegacy : PolicyForm::kDirectional;
}

namespace {

RunSummary Summarize(const std::shared_ptr<const Policy>& policy, const Circumstances& around,
                     const Host& host, bool brief) {
  const auto judge = std::make_shared<DenialJudge>(*policy, host);
  const auto named = [policy, judge, flags = around.flags](const FileCall& call) {
    std::optional<FileDenial> denial = judge->Judge(call);
    const std::string_view flag = denial ? FlagAt(flags, denial->pointer) : std::string_view();
    const bool decided = !flag.empty() && denial->grant.empty() && denial->advice.empty();
    if (decided) denial->advice = "decided by " + std::string(flag);
    return denial;
  };
  const bool profiles = host.System() != OperatingSystem::kWindows;
  return {.network = NetworkSummary{around.form, profiles ? ProfileForHost : nullptr, around.leaves_proxy},
          .files = FileSummary{around.form, named},
          .loopback = [policy](std::uint16_t port) { return MissedLoopback(policy->network, port); },
          .brief = brief,
          .as_root = host.System() == OperatingSystem::kLinux && host.Caller().IsRoot(),
          .secrets = SecretValues(policy->process.environment)};
}

}  // namespace

RunSummary SummaryFor(const Policy& policy, PolicyForm form, const Host& host,
                      const std::vector<FlagPlace>& flags, bool brief) {
  const std::shared_ptr<const Policy> borrowed(std::shared_ptr<const Policy>(), &policy);
  return Summarize(borrowed, {.form = form, .leaves_proxy = LeavesProxy(policy, host), .flags = flags}, host,
                   brief);
}

std::string PackBasis(const Policy& policy, PolicyForm form, const Host& host,
                      const std::vector<FlagPlace>& flags) {
  const Circumstances around{.form = form, .leaves_proxy = LeavesProxy(policy, host), .flags = flags};
  ArchiveWriter archive;
  VisitBasis(archive, policy, around);
  return archive.Take();
}

std::optional<RunSummary> SummaryFrom(const std::string& basis, std::vector<Variable> environment,
                                      const Host& host, bool brief) {
  const auto policy = std::make_shared<Policy>();
  Circumstances around;
  ArchiveReader archive(basis);
  VisitBasis(archive, *policy, around);
  if (!archive.Ended()) return std::nullopt;
  policy->process.environment = std::move(environment);
  return Summarize(policy, around, host, brief);
}

}  // namespace mxc
