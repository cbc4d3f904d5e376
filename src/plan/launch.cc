#include "mxc/launch.h"

#include "mxc/overloaded.h"

namespace mxc {
Ending EndingOf(const Launch& launch) {
  return std::visit(Overloaded{
                        [](const DirectLaunch&) { return Ending::kProcessGroup; },
                        [](const LandlockLaunch& it) {
                          return it.sandbox.scoped_signals ? Ending::kLandlockDomain : Ending::kAdopted;
                        },
                        // A profile of the configuration's own has no mark.
                        [](const SeatbeltLaunch& it) {
                          return it.sandbox.marked ? Ending::kMarked : Ending::kProcessGroup;
                        },
                        [](const AppContainerLaunch&) { return Ending::kJob; },
                        [](const WslLaunch&) { return Ending::kInnerLauncher; },
                        [](const KubernetesLaunch&) { return Ending::kInnerLauncher; },
                        [](const WindowsSandboxLaunch&) { return Ending::kMachine; },
                        [](const IsolationSessionLaunch&) { return Ending::kSession; },
                        [](const auto&) { return Ending::kPidNamespace; },
                    },
                    launch);
}

std::vector<Helper> HelpersOf(Launch& launch) {
  using Helpers = std::vector<Helper>;
  return std::visit(Overloaded{
                        [](BubblewrapLaunch& it) {
                          return Helpers{{it.bwrap.program, &it.bwrap.sha256}};
                        },
                        [](LxcLaunch& it) {
                          return Helpers{{it.program, &it.sha256}};
                        },
                        // Plug-ins for credentials.
                        [](KubernetesLaunch& it) {
                          return Helpers{{it.run.kubectl, &it.run.sha256, true}};
                        },
                        [](auto&) { return Helpers{}; },
                    },
                    launch);
}

Terminal TerminalOf(const Launch& launch) {
  return std::visit([](const auto& it) { return it.terminal; }, launch);
}

const LinuxSandbox* LinuxSandboxOf(const Launch& launch) {
  return std::visit(Overloaded{
                        [](const NamespacesLaunch& it) { return &it.sandbox; },
                        [](const BubblewrapLaunch& it) { return &it.sandbox; },
                        [](const LxcLaunch& it) { return &it.sandbox; },
                        [](const PersistentLaunch& it) { return &it.sandbox; },
                        [](const auto&) -> const LinuxSandbox* { return nullptr; },
                    },
                    launch);
}

const std::vector<Variable>& CommandEnvironment(const Launch& launch) {
  static const std::vector<Variable> kNone;
  return std::visit(
      Overloaded{
          [](const DirectLaunch& it) -> const std::vector<Variable>& { return it.command.environment; },
          [](const WslLaunch&) -> const std::vector<Variable>& { return kNone; },
          [](const KubernetesLaunch&) -> const std::vector<Variable>& { return kNone; },
          [](const WindowsSandboxLaunch& it) -> const std::vector<Variable>& { return it.run.environment; },
          [](const auto& it) -> const std::vector<Variable>& { return it.sandbox.environment; },
      },
      launch);
}

}  // namespace mxc
