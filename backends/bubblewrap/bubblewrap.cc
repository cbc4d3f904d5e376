#include "backends/bubblewrap/bubblewrap.h"

#include <string>
#include <utility>
#include <vector>

#include "backends/bubblewrap/arguments.h"
#include "backends/linux/explain.h"
#include "backends/linux/lower.h"

namespace mxc::bubblewrap {
namespace {

// bwrap reads the whole mount table again for each mount: half a second for 500, nine for 2000.
constexpr std::size_t kManyMounts = 500;

void WarnOfMany(std::size_t mounts, std::vector<Warning>& warnings) {
  if (mounts <= kManyMounts) return;
  warnings.push_back({.category = "backend",
                      .message = "bubblewrap takes seconds for the " + std::to_string(mounts) +
                                 " mounts of this policy; 'namespaces' does not, nor do fewer paths",
                      .pointer = "/filesystem"});
}

// Without a shell where the command needs none, and bwrap takes the words besides all its arguments.
Result<Exec> Render(const std::vector<std::string>& without_shell, LinuxSandbox& sandbox,
                    const Support& support) {
  if (!without_shell.empty()) {
    const std::vector<std::string> line = std::exchange(sandbox.argv, without_shell);
    if (Result<Exec> exec = RenderArguments(sandbox, support)) return exec;
    sandbox.argv = line;
  }
  return RenderArguments(sandbox, support);
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
  Result<Exec> exec = Render(policy.process.without_shell, lowered->sandbox, support);
  if (!exec) return exec.error();
  Plan plan{.containment = Containment::kBubblewrap, .tier = support.tier};
  plan.setup = std::move(lowered->setup);
  plan.egress = std::move(lowered->egress);
  plan.ledger = std::move(lowered->ledger);
  plan.warnings = std::move(lowered->warnings);
  WarnOfMany(lowered->sandbox.mounts.size(), plan.warnings);
  plan.relaxations = std::move(lowered->relaxations);
  const Terminal terminal = lowered->sandbox.new_session ? Terminal::kInherit : Terminal::kPrivatePty;
  plan.launch = BubblewrapLaunch{
      .sandbox = std::move(lowered->sandbox), .bwrap = std::move(*exec), .terminal = terminal};
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
