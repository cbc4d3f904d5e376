#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/claim.h"
#include "kubernetes/pod_program.h"
#include "kubernetes/pod_stream.h"
#include "kubernetes/remote/pod_exec.h"
#include "kubernetes/remote/run_in_pod.h"
#include "run/inner_report.h"
#include "run/signals.h"

namespace mxc::kubernetes {
namespace {

// What the mxc-exec inside needs to end a run whose time is over, before we do.
constexpr std::uint64_t kGraceMs = 15000;

// The wait was ended by a signal; which one, SignalScope knows.
bool WasInterrupted(const Error& error) {
  return error.code == ErrorCode::kInternal && error.message.empty();
}

// Of a run that was begun. What the mxc-exec inside says counts; without its word nothing is known.
Result<Outcome> OutcomeOf(const PodExecEnd& end, const BoundPod& pod, std::uint64_t duration_ms,
                          RunObserver& observer) {
  if (end.interrupted_by != 0)
    return Outcome{.exit_code = 128 + end.interrupted_by,
                   .interrupted_by = end.interrupted_by,
                   .duration_ms = duration_ms};
  if (end.timed_out)
    return Outcome{.exit_code = 128 + SIGKILL, .timed_out = true, .duration_ms = duration_ms};
  if (end.reader_gone)
    return Outcome{.exit_code = 128 + SIGPIPE, .signal = SIGPIPE, .duration_ms = duration_ms};
  InnerReport report = ReadInnerReport(end.report);
  for (const Warning& warning : report.warnings) observer.OnWarning(warning);
  if (end.complete && !report.unreadable.empty()) {
    return SetupFailed(
        fmt::format("what the mxc-exec in the pod '{}' says of its run cannot be read: {}", pod.name,
                    report.unreadable),
        "how the command ended is not known; look at what the image has at kubernetes.program");
  }
  if (!end.complete || (!report.outcome && !report.error)) {
    return SetupFailed("the connection to the pod '" + pod.name +
                           "' ended before the command's streams did: how it ended is not known",
                       "its output is incomplete; run it again where it may run twice");
  }
  if (report.error) {
    Error error = std::move(*report.error);
    error.message = "refused in the pod '" + pod.name + "': " + error.message;
    return error;
  }
  if (end.lost != 0) {
    Error lost = SystemError(ErrorCode::kOutputLost, "the command's output could not be written", end.lost);
    lost.hint = "what the command wrote there is incomplete";
    return lost;
  }
  Outcome outcome = std::move(*report.outcome);
  // An empty runtime class: the cluster's default.
  outcome.inside->where = {
      {"pod", pod.name}, {"podUid", pod.state.uid}, {"runtimeClass", pod.state.runtime_class}};
  return outcome;
}

// A pod that may be used, and where it has the program.
struct Ready {
  BoundPod pod = {};
  std::string program = {};
};

Result<Ready> MakeReady(const Kubectl& kubectl, Claim& claim, const KubernetesLaunch& launch,
                        const std::string& run) {
  Result<BoundPod> pod = launch.kept ? claim.Rejoin() : claim.Bind();
  if (!pod) return pod.error();
  if (launch.kept) return Ready{.pod = std::move(*pod), .program = launch.kept->program};
  Result<std::string> program = ProgramIn(kubectl, *pod, "mxc-" + run);
  if (!program) return program.error();
  return Ready{.pod = std::move(*pod), .program = std::move(*program)};
}

// With a claim that stays the command would stay, too, until its time is over.
void EndLeft(const Kubectl& kubectl, const Ready& ready, const std::string& name, RunObserver& observer) {
  const Status ended = EndInPod(kubectl, ready.pod, ready.program, name);
  if (!ended)
    observer.OnWarning({.category = "command-left",
                        .message = ended.error().message + "; it ends there when its time is over",
                        .pointer = "/kubernetes"});
}

Result<Outcome> RunClaimed(const Kubectl& kubectl, Claim& claim, const KubernetesLaunch& launch,
                           const Plan& plan, SignalScope& signals, RunObserver& observer) {
  const std::string token = RandomToken();
  if (token.empty()) return SystemError(ErrorCode::kSetupFailed, "get random bytes", errno);
  const std::string document = RevealedText(kubectl.Run().config);
  if (document.size() > kMaxPodDocument)
    return SetupFailed("the policy is longer than 4 MiB", "grant directories rather than the files in them");
  const Result<Ready> ready = MakeReady(kubectl, claim, launch, plan.run);
  if (!ready) return ready.error();
  std::vector<std::string> command = {ready->program, kInPodFlag};
  const std::string name = launch.kept ? launch.kept->claim + "." + plan.run : "";
  if (launch.kept) command.push_back(name);
  const std::string input = HeaderText({.token = token, .document = document.size()}) + document;
  const std::uint64_t begun = NowMs();
  const std::uint64_t ends_at = std::min(begun + plan.timeout_ms + kGraceMs, claim.EndsAt());
  observer.OnStarted(::getpid());
  const Result<PodExecEnd> end = RunPodExec({.kubectl = kubectl,
                                             .claim = claim,
                                             .signals = signals,
                                             .arguments = ExecIn(ready->pod, std::move(command)),
                                             .token = token,
                                             .input = input,
                                             .ends_at_ms = ends_at});
  if (!end) return end.error();
  if (launch.kept && !end->complete) EndLeft(kubectl, *ready, name, observer);
  Result<Outcome> outcome = OutcomeOf(*end, ready->pod, NowMs() - begun, observer);
  if (!outcome || outcome->interrupted_by != 0) return outcome;
  if (Status same = claim.CheckAgain(ready->pod); !same) return same.error();
  return outcome;
}

// Deleted in any case, if it was made for this run alone.
Result<Outcome> RunWith(const Kubectl& kubectl, Claim& claim, const KubernetesLaunch& launch,
                        const Plan& plan, SignalScope& signals, RunObserver& observer) {
  Result<Outcome> outcome = RunClaimed(kubectl, claim, launch, plan, signals, observer);
  if (launch.kept) return outcome;
  if (Status deleted = claim.Delete(); !deleted)
    observer.OnWarning(
        {.category = "claim-left", .message = deleted.error().message, .pointer = "/kubernetes"});
  return outcome;
}

}  // namespace

Result<Outcome> RunInPod(const Plan& plan, RunObserver& observer) {
  const auto& launch = std::get<KubernetesLaunch>(plan.launch);
  const std::uint64_t begun = NowMs();
  SignalScope signals;
  if (Status scope = signals.Begin(); !scope) return scope.error();
  Claim* renewed = nullptr;
  const Kubectl kubectl(launch.run, {.fd = signals.Descriptor(),
                                     .ending = [&] { return signals.Ending(); },
                                     .tick =
                                         [&] {
                                           if (renewed != nullptr) renewed->Renew();
                                         }});
  std::optional<Claim> claim;
  if (launch.kept) {
    claim.emplace(kubectl, *launch.kept);
  } else {
    claim.emplace(kubectl, plan.run);
  }
  renewed = &*claim;
  Result<Outcome> outcome = RunWith(kubectl, *claim, launch, plan, signals, observer);
  static_cast<void>(observer.OnEnded());
  if (outcome || !WasInterrupted(outcome.error())) return outcome;
  for (const TakenSignal& signal : signals.Take())
    if (EndsRun(signal.number))
      return Outcome{
          .exit_code = 128 + signal.number, .interrupted_by = signal.number, .duration_ms = NowMs() - begun};
  return outcome;
}

}  // namespace mxc::kubernetes
