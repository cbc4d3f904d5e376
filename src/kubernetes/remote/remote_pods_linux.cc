#include <string_view>

#include "kubernetes/in_pod_linux.h"
#include "kubernetes/pod_stream.h"
#include "kubernetes/reap_claims.h"
#include "kubernetes/remote/pod_sandbox.h"
#include "kubernetes/remote/remote_pods.h"
#include "kubernetes/remote/run_in_pod.h"
#include "stdio/stdio_setup.h"

namespace mxc::kubernetes {
namespace {

std::optional<int> RunInsidePod(int argc, char** argv, int (*run_main)(int argc, char** argv)) {
  const std::string_view flag = argc > 1 ? argv[1] : "";
  if ((argc == 2 || argc == 3) && flag == kInPodFlag) {
    [[maybe_unused]] const bool heard = FillStandardStreams();
    return RunAsPodsProgram(argv[0], run_main);
  }
  if (argc == 3 && flag == kEndInPodFlag) return EndPodsPrograms(argv[2]);
  return std::nullopt;
}

Result<std::vector<std::string>> Reap(const Plan& plan) {
  return ReapClaims(std::get<KubernetesLaunch>(plan.launch).run);
}

Status RefuseBackground(const Plan& /*plan*/) {
  return Unsupported("a command in a pod ends with the connection of its launcher", {},
                     "leave --background out, and let the call wait");
}

}  // namespace

const Remote* RemotePods() {
  static constexpr Remote kPods = {.run = RunInPod,
                                   .run_there = RunInsidePod,
                                   .reap = Reap,
                                   .sandboxes = {.check = KeepProgramApart,
                                                 .provision = ProvisionPod,
                                                 .start = StartPod,
                                                 .stop = StopPod,
                                                 .deprovision = DeprovisionPod,
                                                 .enter = EnterPod,
                                                 .with_command = PlanInPod,
                                                 .start_in_background = RefuseBackground,
                                                 .look = ListedPod,
                                                 .remove_dead = RemoveDeadPod}};
  return &kPods;
}

}  // namespace mxc::kubernetes
