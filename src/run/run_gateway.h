// The network gateway of a run, as the launcher sees it: started before the sandbox, read while it runs,
// ended after it. A plan without rules has none, and then every function does nothing.
//
//   Result<RunGateway> gateway = RunGateway::Start(plan, [&](const GatewayRecord& record) { ... });
//   ... the sandbox gives it its sockets through gateway->Handover() ...
//   gateway->CloseHandover();             // the command runs
//   poll(gateway->Records(), POLLIN); gateway->TakeRecords();
//   gateway->Finish({});              // the sandbox is gone
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "base/unique_fd.h"
#include "gateway/gateway.h"
#include "mxc/error.h"
#include "mxc/plan.h"

namespace mxc {

class RunGateway {
 public:
  using OnRecord = std::function<void(const GatewayRecord&)>;

  // Errors: as StartGateway.
  [[nodiscard]] static Result<RunGateway> Start(const Plan& plan, OnRecord on_record);

  // Of a persistent sandbox's gateway, which others started and end: the end of a connection on which its
  // records come. -1: there is none.
  [[nodiscard]] static RunGateway Follow(UniqueFd records, OnRecord on_record);

  RunGateway(RunGateway&&) = default;
  RunGateway& operator=(RunGateway&&) = default;
  RunGateway(const RunGateway&) = delete;
  RunGateway& operator=(const RunGateway&) = delete;
  ~RunGateway() { Finish({.wanted = false}); }

  [[nodiscard]] const EgressRules* Rules() const { return rules_; }  // borrowed from the plan; or nullptr
  [[nodiscard]] int Handover() const { return gateway_ ? gateway_->handover.Get() : -1; }
  void CloseHandover();
  // -1 when there is no gateway, or it is gone: then nothing gets out any more.
  [[nodiscard]] int Records() const { return gateway_ && !gone_ ? gateway_->records.Get() : -1; }
  // Whatever has arrived; `hung_up` when poll said so. `on_mark`: of marks between records.
  void TakeRecords(bool hung_up, const std::function<void(std::uint32_t)>& on_mark = nullptr);
  [[nodiscard]] bool Mark(std::uint32_t mark) { return Records() >= 0 && MarkRecords(Records(), mark); }
  void Finish(const Undelivered& undelivered);

  // For a sandbox that another program builds: sets the network of `process` up from the outside and waits
  // until the gateway serves it. Nothing of it changes this process. Errors: kSetupFailed.
  [[nodiscard]] Status Connect(pid_t process);

 private:
  RunGateway() = default;

  const EgressRules* rules_ = nullptr;
  std::unique_ptr<Gateway> gateway_ = {};  // a pointer: what was moved from must not end it
  OnRecord on_record_ = nullptr;
  bool gone_ = false;
};

}  // namespace mxc
