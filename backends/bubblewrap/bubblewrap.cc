#include "backends/bubblewrap/bubblewrap.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/bubblewrap/arguments.h"
#include "backends/linux/explain.h"
#include "backends/linux/lower.h"
#include "base/path.h"
#include "base/quoted.h"

namespace mxc::bubblewrap {
namespace {

// bwrap reads the whole mount table again for each mount: half a second for 500, nine for 2000.
constexpr std::size_t kManyMounts = 500;
constexpr std::size_t kArgumentsOfBind = 3;  // the option, the descriptor, the target

void WarnOfMany(std::size_t mounts, std::vector<Warning>& warnings) {
  if (mounts <= kManyMounts) return;
  warnings.push_back({.category = "backend",
                      .message = "bubblewrap takes seconds for the " + std::to_string(mounts) +
                                 " mounts of this policy; 'namespaces' does not, nor do fewer paths",
                      .pointer = "/filesystem"});
}

// Without a shell where the command needs none, and bwrap takes the words besides all its arguments.
Result<Rendered> Render(const std::vector<std::string>& without_shell, LinuxSandbox& sandbox,
                        const Support& support) {
  if (!without_shell.empty()) {
    const std::vector<std::string> line = std::exchange(sandbox.argv, without_shell);
    Result<Rendered> plain = RenderArguments(sandbox, support);
    if (plain && plain->arguments <= kMaxArguments) return plain;
    sandbox.argv = line;
  }
  return RenderArguments(sandbox, support);
}

// Those that have most of them, and a few: a command may have left hundreds.
std::string RepositoriesText(const Policy& policy) {
  std::map<std::string_view, std::vector<std::string_view>> by_grant;
  for (const GitSnapshot::Place& place : policy.git.places) {
    std::string_view grant;
    for (const PathRule& rule : policy.paths) {
      const bool granted = rule.origin == Origin::kPolicy && rule.access == Access::kReadWrite;
      if (granted && rule.path.size() >= grant.size() && IsAtOrBelow(place.path, rule.path))
        grant = rule.path;
    }
    if (!grant.empty()) by_grant[grant].push_back(place.path);
  }
  const auto most = std::max_element(
      by_grant.begin(), by_grant.end(),
      [](const auto& left, const auto& right) { return left.second.size() < right.second.size(); });
  if (most == by_grant.end()) return "";
  constexpr std::size_t kNamed = 3;
  const std::vector<std::string_view>& names = most->second;
  std::string text = ": " + Quoted(most->first) + " has " + std::to_string(names.size()) +
                     (names.size() == 1 ? " git repository (" : " git repositories (");
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + Quoted(names[i]);
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text + ")";
}

Error TooMany(std::size_t arguments, const Policy& policy) {
  std::string message = "the policy needs " + std::to_string(arguments) +
                        " arguments of bubblewrap, which takes at most " + std::to_string(kMaxArguments);
  const PathRule* first = nullptr;
  std::size_t held = 0;
  for (const PathRule& rule : policy.paths) {
    if (rule.origin != Origin::kProtection) continue;
    if (first == nullptr) first = &rule;
    ++held;
  }
  constexpr std::size_t kWorthNaming = 10;  // a tenth of them
  if (held * kArgumentsOfBind <= arguments / kWorthNaming) {
    return Conflict(std::move(message), "/filesystem",
                    "name fewer paths, for instance a directory rather than the files in it");
  }
  message += "; " + std::to_string(held) + " protected paths take most of them" + RepositoriesText(policy);
  return Conflict(std::move(message), first->pointer,
                  "remove what earlier runs have left there, name the repositories that you work in "
                  "(`filesystem.repositories`), write \"protect\": [], or use 'process', which takes more");
}

}  // namespace

Result<Plan> PlanBubblewrap(const Policy& policy, const Support& support) {
  // In its control groups bwrap has two processes: the one that waits, and process 1 of the sandbox.
  const linux_backend::Facts facts{
      .kernel_files = support.kernel_files,
      .why_unsized = support.Has("size") ? nullptr : "this bubblewrap cannot limit the size of a tmpfs",
      .engine_tasks = 2,
      .why_no_gateway = support.no_gateway};
  Result<linux_backend::Lowered> lowered = linux_backend::LowerPolicy(policy, facts);
  if (!lowered) return lowered.error();
  Result<Rendered> rendered = Render(policy.process.without_shell, lowered->sandbox, support);
  if (!rendered) return rendered.error();
  if (rendered->arguments > kMaxArguments) return TooMany(rendered->arguments, policy);
  Plan plan{.containment = Containment::kBubblewrap, .tier = support.tier};
  plan.git.more_mounts = (kMaxArguments - rendered->arguments) / kArgumentsOfBind;
  plan.setup = std::move(lowered->setup);
  plan.egress = std::move(lowered->egress);
  plan.ledger = std::move(lowered->ledger);
  plan.warnings = std::move(lowered->warnings);
  WarnOfMany(lowered->sandbox.mounts.size(), plan.warnings);
  plan.relaxations = std::move(lowered->relaxations);
  const Terminal terminal = lowered->sandbox.new_session ? Terminal::kInherit : Terminal::kPrivatePty;
  plan.launch = BubblewrapLaunch{
      .sandbox = std::move(lowered->sandbox), .bwrap = std::move(rendered->exec), .terminal = terminal};
  return plan;
}

const Backend& BubblewrapBackend() {
  static const Backend kBackend{.containment = Containment::kBubblewrap,
                                .probe = ProbeBubblewrap,
                                .plan = PlanBubblewrap,
                                .explain = linux_backend::ExplainLinuxSandbox()};
  return kBackend;
}

}  // namespace mxc::bubblewrap
