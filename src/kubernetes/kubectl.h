// kubectl, which alone speaks to the API server: it brings every way to authenticate, proxies and the service
// accounts of pods with it. It has the caller's environment, which its plug-ins need, and nothing of the
// policy but what it is given on its standard input.
//
//   Kubectl kubectl(run, {.fd = signals.Descriptor(), .ending = [&] { return signals.Ending(); }});
//   Result<KubectlAnswer> answer = kubectl.Call({.arguments = {"get", "--raw", path}});
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "hash/pinned_program.h"
#include "kubernetes/kubectl_answer.h"
#include "mxc/error.h"
#include "mxc/kubernetes/pod_run.h"
#include "spawn/spawn.h"

namespace mxc::kubernetes {

// What goes on while kubectl is waited for, and what ends the wait early.
struct Waiting {
  int fd = -1;  // borrowed: readable when there is something to ask about; -1: never
  std::function<bool()> ending = nullptr;  // the wait is to end
  std::function<void()> tick = nullptr;    // called now and then
};

struct KubectlCall {
  std::vector<std::string> arguments = {};
  std::string input = {};  // all of its standard input
  std::uint32_t limit_ms = 15000;
  // Called with each line of standard output; true: enough was said, kubectl is ended.
  std::function<bool(std::string_view line)> on_line = nullptr;
};

// A started kubectl with pipes for its streams. The destructor kills its process group and waits.
class KubectlProcess {
 public:
  KubectlProcess() = default;
  KubectlProcess(KubectlProcess&& other) noexcept { *this = std::move(other); }
  KubectlProcess& operator=(KubectlProcess&& other) noexcept;
  KubectlProcess(const KubectlProcess&) = delete;
  KubectlProcess& operator=(const KubectlProcess&) = delete;
  ~KubectlProcess() { End(); }

  ChildProcess child = {};
  UniqueFd in = {}, out = {}, err = {};

  [[nodiscard]] bool Started() const { return child.id > 0; }
  // It has ended, and was waited for; its status as of a shell.
  [[nodiscard]] bool HasEnded(int& exit_code);
  void End();
};

class Kubectl {
 public:
  // Borrows `run`.
  Kubectl(const PodRun& run, Waiting waiting) : run_(run), waiting_(std::move(waiting)) {}

  // Errors: kSetupFailed, kubectl could not be started; kConflict, it is another file than the one pinned.
  [[nodiscard]] Result<KubectlProcess> Start(const std::vector<std::string>& arguments) const;
  [[nodiscard]] Result<KubectlAnswer> Call(const KubectlCall& call) const;
  // The same, whatever arrives meanwhile.
  [[nodiscard]] Result<KubectlAnswer> Finish(const KubectlCall& call) const;

  [[nodiscard]] const PodRun& Run() const { return run_; }

 private:
  const PodRun& run_;
  Waiting waiting_;
  mutable PinnedProgram program_ = {};  // every call executes the file that the first one has opened
};

}  // namespace mxc::kubernetes
