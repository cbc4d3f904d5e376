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
#include <string_view>

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

  // Reads the records of a persistent sandbox's gateway, which its daemon starts and ends. `records`: a
  // connection to it; empty: it has no gateway.
  [[nodiscard]] static RunGateway Follow(UniqueFd records, OnRecord on_record);

  RunGateway(RunGateway&&) = default;
  RunGateway& operator=(RunGateway&&) = default;
  RunGateway(const RunGateway&) = delete;
  RunGateway& operator=(const RunGateway&) = delete;
  ~RunGateway() { Finish({.wanted = false}); }

  [[nodiscard]] const EgressRules* Rules() const { return rules_; }  // borrowed from the plan; or nullptr
  [[nodiscard]] int Handover() const { return gateway_ ? gateway_->handover.Get() : -1; }
  void CloseHandover();
  // -1 if there is no gateway or it has ended; then no traffic leaves the sandbox.
  [[nodiscard]] int Records() const { return gateway_ && !gone_ ? gateway_->records.Get() : -1; }
  // Reads the records that have arrived. `hung_up`: poll returned POLLHUP. `on_mark` gets the marks between
  // them.
  void TakeRecords(bool hung_up, const std::function<void(std::uint32_t)>& on_mark = nullptr);
  [[nodiscard]] bool Mark(std::uint32_t mark) { return Records() >= 0 && MarkRecords(Records(), mark); }
  void Finish(const Undelivered& undelivered);
  // The gateway of this run ended before the run, or did not end in time behind it: there is a record of
  // that, and others are lost.
  [[nodiscard]] bool Lost() const { return lost_; }

  // For a sandbox that another program builds: a helper process enters the network namespace of `process`,
  // sets it up, and waits until the gateway serves it. Errors: kSetupFailed.
  [[nodiscard]] Status Connect(pid_t process);

 private:
  RunGateway() = default;
  void OnHangUp();
  void Lose(std::string_view how);

  const EgressRules* rules_ = nullptr;
  std::unique_ptr<Gateway> gateway_ = {};  // a pointer, so that a moved-from object does not end the gateway
  OnRecord on_record_ = nullptr;
  bool gone_ = false;
  bool lost_ = false;
};

}  // namespace mxc
