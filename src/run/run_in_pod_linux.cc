#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/claim.h"
#include "kubernetes/pod_stream.h"
#include "run/inner_report.h"
#include "run/pod_exec.h"
#include "run/relay.h"
#include "run/run_in_pod.h"
#include "run/signals.h"

namespace mxc {
namespace {

using kubernetes::BoundPod;
using kubernetes::Claim;
using kubernetes::Kubectl;
using kubernetes::KubectlAnswer;
using kubernetes::KubectlEnd;

// What the mxc-exec inside needs to end a run whose time is over, before we do.
constexpr std::uint64_t kGraceMs = 15000;
constexpr std::uint32_t kVersionMs = 30000;
constexpr std::uint32_t kSendMs = 120000;
constexpr const char* kVersion = "mxc-exec " MXC_VERSION;

std::string RandomToken() {
  std::array<unsigned char, 16> bytes{};
  std::string token;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) return token;
  for (const unsigned char byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

// The wait was ended by a signal; which one, SignalScope knows.
bool WasInterrupted(const Error& error) {
  return error.code == ErrorCode::kInternal && error.message.empty();
}

std::string Revealed(const std::vector<TextPart>& parts) {
  std::string text;
  for (const TextPart& part : parts) {
    const auto* const shown = std::get_if<std::string>(&part);
    text += shown != nullptr ? *shown : std::get<Secret>(part).Reveal();
  }
  return text;
}

std::vector<std::string> ExecIn(const BoundPod& pod, std::vector<std::string> command) {
  std::vector<std::string> words = {"exec", "-i", pod.name, "-c", pod.state.container, "--"};
  words.insert(words.end(), std::make_move_iterator(command.begin()), std::make_move_iterator(command.end()));
  return words;
}

Error NoProgram(const PodRun& run, const BoundPod& pod, std::string_view why) {
  return {
      .code = ErrorCode::kUnavailable,
      .message = fmt::format("the pod '{}' has no {} at '{}', and it cannot be sent in: {}", pod.name,
                             kVersion, run.program, why),
      .pointer = "/kubernetes/program",
      .hint =
          "put the static mxc-exec of this version into the image, or give it sh and cat, and an emptyDir at "
          "/tmp"};
}

// This program, through the standard input of a shell in the pod, into a directory that nobody else enters.
// The command's own /tmp hides it.
Result<std::string> SendProgram(const Kubectl& kubectl, const BoundPod& pod, const std::string& name) {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::string directory = "/tmp/." + name;
  const char* const script =
      "umask 077 && mkdir \"$0\" && cat >\"$0/mxc-exec\" && chmod 500 \"$0/mxc-exec\" && exec "
      "\"$0/mxc-exec\" "
      "--version";
  const Result<KubectlAnswer> sent = kubectl.Call({.arguments = ExecIn(pod, {"sh", "-c", script, directory}),
                                                   .input = std::move(bytes),
                                                   .limit_ms = kSendMs});
  if (!sent) return sent.error();
  if (sent->end == KubectlEnd::kInterrupted) return Error{.code = ErrorCode::kInternal};
  if (sent->Succeeded() && sent->out.starts_with(std::string(kVersion) + "\n"))
    return directory + "/mxc-exec";
  const std::string why = sent->err.empty() ? sent->out : sent->err;
  return NoProgram(kubectl.Run(), pod, why.substr(0, why.find('\n')));
}

// Where the program is in the pod: in its image, if that is this very version.
Result<std::string> ProgramIn(const Kubectl& kubectl, const BoundPod& pod, const std::string& name) {
  const std::string& there = kubectl.Run().program;
  const Result<KubectlAnswer> version =
      kubectl.Call({.arguments = ExecIn(pod, {there, "--version"}), .limit_ms = kVersionMs});
  if (!version) return version.error();
  if (version->end == KubectlEnd::kInterrupted) return Error{.code = ErrorCode::kInternal};
  if (version->Succeeded() && version->out.starts_with(std::string(kVersion) + "\n")) return there;
  const bool missing = version->err.find("no such file") != std::string::npos;
  const bool refused = kubernetes::FailureOf(*version) == kubernetes::KubectlFailure::kRefused;
  if (version->end == KubectlEnd::kTimedOut || (refused && !missing))
    return kubernetes::ErrorOf("exec in the pod '" + pod.name + "'", *version);
  return SendProgram(kubectl, pod, name);
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
    return Error{
        .code = ErrorCode::kSetupFailed,
        .message = fmt::format("what the mxc-exec in the pod '{}' says of its run cannot be read: {}",
                               pod.name, report.unreadable),
        .hint = "how the command ended is not known; look at what the image has at kubernetes.program"};
  }
  if (!end.complete || (!report.outcome && !report.error)) {
    return Error{.code = ErrorCode::kSetupFailed,
                 .message = "the connection to the pod '" + pod.name +
                            "' ended before the command's streams did: how it ended is not known",
                 .hint = "its output is incomplete; run it again where it may run twice"};
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
  outcome.inside->pod = pod.name;
  outcome.inside->pod_uid = pod.state.uid;
  outcome.inside->runtime_class = pod.state.runtime_class;
  return outcome;
}

Result<Outcome> RunClaimed(const Kubectl& kubectl, Claim& claim, const Plan& plan, SignalScope& signals,
                           RunObserver& observer) {
  const std::string token = RandomToken();
  const std::string name = "mxc-" + plan.run;
  if (token.empty()) return SystemError(ErrorCode::kSetupFailed, "get random bytes", errno);
  const Result<BoundPod> pod = claim.Bind();
  if (!pod) return pod.error();
  const Result<std::string> program = ProgramIn(kubectl, *pod, name);
  if (!program) return program.error();
  const std::string document = Revealed(kubectl.Run().config);
  if (document.size() > kubernetes::kMaxPodDocument)
    return Error{.code = ErrorCode::kSetupFailed,
                 .message = "the policy is longer than 4 MiB",
                 .hint = "grant directories rather than the files in them"};
  const std::string input = kubernetes::HeaderText({.token = token, .document = document.size()}) + document;
  const std::uint64_t begun = NowMs();
  const std::uint64_t ends_at = std::min(begun + plan.timeout_ms + kGraceMs, claim.EndsAt());
  observer.OnStarted(::getpid());
  const Result<PodExecEnd> end = RunPodExec({.kubectl = kubectl,
                                             .claim = claim,
                                             .signals = signals,
                                             .arguments = ExecIn(*pod, {*program, kubernetes::kInPodFlag}),
                                             .token = token,
                                             .input = input,
                                             .ends_at_ms = ends_at});
  if (!end) return end.error();
  Result<Outcome> outcome = OutcomeOf(*end, *pod, NowMs() - begun, observer);
  if (!outcome || outcome->interrupted_by != 0) return outcome;
  if (Status same = claim.CheckAgain(*pod); !same) return same.error();
  return outcome;
}

}  // namespace

Result<Outcome> RunInPod(const KubernetesLaunch& launch, const Plan& plan, RunObserver& observer) {
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
  Claim claim(kubectl, plan.run);
  renewed = &claim;
  Result<Outcome> outcome = RunClaimed(kubectl, claim, plan, signals, observer);
  if (Status deleted = claim.Delete(); !deleted)
    observer.OnWarning(
        {.category = "claim-left", .message = deleted.error().message, .pointer = "/kubernetes"});
  static_cast<void>(observer.OnEnded());
  if (outcome || !WasInterrupted(outcome.error())) return outcome;
  for (const int number : signals.Take())
    if (number != SIGWINCH && number != SIGCONT)
      return Outcome{.exit_code = 128 + number, .interrupted_by = number, .duration_ms = NowMs() - begun};
  return outcome;
}

}  // namespace mxc
