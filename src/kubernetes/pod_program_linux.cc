#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

#include "kubernetes/pod_program.h"
#include "kubernetes/pod_stream.h"

namespace mxc::kubernetes {
namespace {

constexpr std::uint32_t kVersionMs = 30000;
constexpr std::uint32_t kSendMs = 120000;
constexpr std::uint32_t kEndMs = 30000;
constexpr const char* kVersion = "mxc-exec " MXC_VERSION;

Error NoProgram(const PodRun& run, const BoundPod& pod, std::string_view why) {
  return Unavailable(
      fmt::format("the pod '{}' has no {} at '{}', and it cannot be sent in: {}", pod.name, kVersion,
                  run.program, why),
      "/kubernetes/program",
      "put the static mxc-exec of this version into the image, or give it sh and cat, and an emptyDir at "
      "/tmp");
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
  if (sent->end == KubectlEnd::kInterrupted) return Interrupted();
  if (sent->Succeeded() && sent->out.starts_with(std::string(kVersion) + "\n"))
    return directory + "/mxc-exec";
  const std::string why = sent->err.empty() ? sent->out : sent->err;
  return NoProgram(kubectl.Run(), pod, why.substr(0, why.find('\n')));
}

}  // namespace

std::vector<std::string> ExecIn(const BoundPod& pod, std::vector<std::string> command) {
  std::vector<std::string> words = {"exec", "-i", pod.name, "-c", pod.state.container, "--"};
  words.insert(words.end(), std::make_move_iterator(command.begin()), std::make_move_iterator(command.end()));
  return words;
}

Result<std::string> ProgramIn(const Kubectl& kubectl, const BoundPod& pod, const std::string& name) {
  const std::string& there = kubectl.Run().program;
  const Result<KubectlAnswer> version =
      kubectl.Call({.arguments = ExecIn(pod, {there, "--version"}), .limit_ms = kVersionMs});
  if (!version) return version.error();
  if (version->end == KubectlEnd::kInterrupted) return Interrupted();
  if (version->Succeeded() && version->out.starts_with(std::string(kVersion) + "\n")) return there;
  const bool missing = version->err.find("no such file") != std::string::npos;
  const bool refused = FailureOf(*version) == KubectlFailure::kRefused;
  if (version->end == KubectlEnd::kTimedOut || (refused && !missing))
    return ErrorOf("exec in the pod '" + pod.name + "'", *version);
  return SendProgram(kubectl, pod, name);
}

Status EndInPod(const Kubectl& kubectl, const BoundPod& pod, const std::string& program,
                const std::string& name) {
  const Result<KubectlAnswer> ended =
      kubectl.Finish({.arguments = ExecIn(pod, {program, kEndInPodFlag, name}), .limit_ms = kEndMs});
  if (!ended) return ended.error();
  return ended->Succeeded() ? Status(Done{}) : ErrorOf("end what runs in the pod '" + pod.name + "'", *ended);
}

}  // namespace mxc::kubernetes
