// The sandbox itself, as its daemon sees it: everything a run sets up, with an init that takes commands in
// instead of running one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/unique_fd.h"
#include "cleanup/host_resources.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "run/run_gateway.h"
#include "run/signals.h"
#include "run/start.h"

namespace mxc::session {

class LiveSandbox {
 public:
  // Writes down what stands on the host, and for which process 1; 0: that nothing does any more.
  using Record = std::function<Status(const HostChanges& changes, pid_t init)>;

  // The first two are borrowed. `plan` is of a persistent sandbox.
  LiveSandbox(const Plan& plan, SignalScope& signals, Record record)
      : plan_(plan), signals_(signals), record_(std::move(record)) {}
  LiveSandbox(const LiveSandbox&) = delete;
  LiveSandbox& operator=(const LiveSandbox&) = delete;
  ~LiveSandbox() { Stop(); }

  // Errors: as StartChild; nothing is left then.
  [[nodiscard]] Status Start(const RunGateway::OnRecord& on_record);
  // Kills everything inside, and undoes what was done on the host. Nothing when it does not stand.
  void Stop();
  [[nodiscard]] bool Stands() const { return started_.has_value(); }

  // Hands a launcher's connection to init. False: init is gone.
  [[nodiscard]] bool Admit(int connection);
  // Commands that have been admitted and have not ended.
  [[nodiscard]] std::size_t Running() const { return running_; }

  // Descriptors to poll for reading, or -1, and what to call then.
  [[nodiscard]] int Init() const { return started_ ? InitHandle().Get() : -1; }  // then Stop
  [[nodiscard]] int Ends() const { return started_ ? session_.Get() : -1; }
  void TakeEnds();
  // A reference to its /dev/ptmx, or -1.
  [[nodiscard]] int Multiplexer() const { return multiplexer_.Get(); }
  [[nodiscard]] int Records() const { return gateway_ ? gateway_->Records() : -1; }
  void TakeRecords(bool hung_up, const std::function<void(std::uint32_t)>& on_mark) {
    gateway_->TakeRecords(hung_up, on_mark);
  }
  // Asks the gateway for `on_mark`. False: there is none (any more).
  [[nodiscard]] bool MarkRecords(std::uint32_t mark) { return gateway_ && gateway_->Mark(mark); }

  [[nodiscard]] const std::vector<RunGroup>& Groups() const { return resources_.changes.groups; }

 private:
  [[nodiscard]] Status Build(const RunGateway::OnRecord& on_record);
  [[nodiscard]] Status StartInit();
  [[nodiscard]] Status AwaitInit(const UniqueFd& said);
  [[nodiscard]] const UniqueFd& InitHandle() const { return init_ ? init_ : started_->child.handle; }

  const Plan& plan_;
  SignalScope& signals_;
  Record record_;
  HostResources resources_ = {};
  std::optional<RunGateway> gateway_ = {};
  UniqueFd session_ = {};  // to init
  UniqueFd multiplexer_ = {};
  std::optional<Started> started_ = {};
  UniqueFd init_ = {};  // where init is no child of ours, but of a tool's
  pid_t init_id_ = -1;
  std::size_t running_ = 0;
};

}  // namespace mxc::session
