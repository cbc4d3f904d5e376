// The sandbox as its daemon handles it: everything that a run sets up, with an init that accepts commands
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
  // Records the host resources and the sandbox's process 1; 0: there are none any more.
  using Record = std::function<Status(const HostChanges& changes, pid_t init)>;

  // `plan`, of a persistent sandbox, and `signals` are borrowed.
  LiveSandbox(const Plan& plan, SignalScope& signals, Record record)
      : plan_(plan), signals_(signals), record_(std::move(record)) {}
  LiveSandbox(const LiveSandbox&) = delete;
  LiveSandbox& operator=(const LiveSandbox&) = delete;
  ~LiveSandbox() { Stop(); }

  // Errors: as StartChild; everything is undone then.
  [[nodiscard]] Status Start(const RunGateway::OnRecord& on_record);
  // Kills everything inside and removes the host resources. Does nothing if the sandbox does not run.
  void Stop();
  [[nodiscard]] bool Stands() const { return started_.has_value(); }
  // Of the last Stop (SealMounts).
  [[nodiscard]] std::optional<Warning> TakeStillWritable() { return std::exchange(still_writable_, {}); }

  // Hands a launcher's connection to init. False: init has ended.
  [[nodiscard]] bool Admit(int connection);
  // Number of commands that were admitted and have not ended.
  [[nodiscard]] std::size_t Running() const { return running_; }

  // Descriptors to poll for reading, or -1. If readable: Init: Stop(); Ends: TakeEnds(); Records:
  // TakeRecords().
  [[nodiscard]] int Init() const { return started_ ? InitHandle().Get() : -1; }  // then Stop
  [[nodiscard]] int Ends() const { return started_ ? session_.Get() : -1; }
  void TakeEnds();
  // A reference to its /dev/ptmx, or -1.
  [[nodiscard]] int Multiplexer() const { return multiplexer_.Get(); }
  [[nodiscard]] int Records() const { return gateway_ ? gateway_->Records() : -1; }
  void TakeRecords(bool hung_up, const std::function<void(std::uint32_t)>& on_mark) {
    gateway_->TakeRecords(hung_up, on_mark);
  }
  // Asks the gateway for a mark (`on_mark`). False: there is no gateway.
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
  UniqueFd init_ = {};  // pidfd, if init is the child of a tool and not of the daemon
  pid_t init_id_ = -1;
  std::size_t running_ = 0;
  bool complete_ = false;  // init has its mounts, and sent them
  std::optional<Warning> still_writable_ = {};
};

}  // namespace mxc::session
