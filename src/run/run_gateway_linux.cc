#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <utility>

#include "base/process_tree.h"
#include "gateway/net/loop_linux.h"
#include "gateway/setup/inside.h"
#include "run/run_gateway.h"

namespace mxc {
namespace {

// The one message of the helper, sent before it exits: which step failed, and why.
struct Failure {
  egress::InsideStep step = egress::InsideStep::kJoin;
  int number = 0;  // 0: nothing failed
};

// Borrowed descriptors of the sandbox's first process and its network namespace; and who asks.
struct SandboxNamespaces {
  pid_t launcher = -1;
  int process = -1;
  int network = -1;
};

// In a process of its own, because joining a user namespace is for good. System calls only.
Failure OpenFromOutside(const SandboxNamespaces& sandbox, const egress::InsideSetup& setup, int handover) {
  Failure failure;
  const auto failed = [&] {
    failure.number = errno;
    return failure;
  };
  if (egress::JoinNetwork(sandbox.network) != 0) return failed();
  // Now, because the kernel forgets it with the change of capabilities.
  if (!DieWith(sandbox.launcher)) return failed();
  failure.step = egress::InsideStep::kAwait;
  if (egress::AwaitLoopback(sandbox.process) != 0) return failed();
  egress::InsideSockets sockets;
  if (egress::OpenInside(setup, sockets, failure.step) != 0) return failed();
  return SendGatewaySockets(handover, sockets.View()) == 0 ? failure : failed();
}

Status RunHelper(const SandboxNamespaces& sandbox, const egress::InsideSetup& setup, int handover) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return SystemError(ErrorCode::kSetupFailed, "create a pipe", errno);
  const UniqueFd reader{ends[0]};
  UniqueFd writer{ends[1]};
  const pid_t helper = ::fork();
  if (helper < 0) return SystemError(ErrorCode::kSetupFailed, "create a process", errno);
  if (helper == 0) {
    const Failure failure = OpenFromOutside(sandbox, setup, handover);
    ::_exit(::write(writer.Get(), &failure, sizeof failure) == sizeof failure ? 0 : 255);
  }
  writer.Reset();
  Failure failure{.number = ECHILD};
  const ssize_t count = ::read(reader.Get(), &failure, sizeof failure);
  while (::waitpid(helper, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (count == sizeof failure && failure.number == 0) return Done{};
  return egress::InsideError(failure.step, failure.number);
}

}  // namespace

Result<RunGateway> RunGateway::Start(const Plan& plan, OnRecord on_record) {
  RunGateway run;
  if (!plan.egress) return run;
  Result<Gateway> gateway = StartGateway(*plan.egress);
  if (!gateway) return gateway.error();
  run.rules_ = &*plan.egress;
  run.gateway_ = std::make_unique<Gateway>(std::move(*gateway));
  run.on_record_ = std::move(on_record);
  return run;
}

RunGateway RunGateway::Follow(UniqueFd records, OnRecord on_record) {
  RunGateway run;
  if (!records) return run;
  run.gateway_ = std::make_unique<Gateway>(Gateway{.records = std::move(records)});
  run.on_record_ = std::move(on_record);
  return run;
}

void RunGateway::CloseHandover() {
  if (gateway_) gateway_->handover.Reset();
}

void RunGateway::TakeRecords(bool hung_up, const std::function<void(std::uint32_t)>& on_mark) {
  while (const std::optional<GatewayRecord> record = ReadRecord(gateway_->records.Get(), on_mark))
    on_record_(*record);
  if (hung_up) OnHangUp();
}

// A persistent sandbox's gateway is its daemon's affair, and one that ends before the command runs that of
// the set-up.
void RunGateway::OnHangUp() {
  if (std::exchange(gone_, true) || gateway_->id < 0 || gateway_->handover) return;
  Lose("has ended before the run");
}

void RunGateway::Lose(std::string_view how) {
  lost_ = true;
  on_record_({.time_ms = egress::WallClockMs(),
              .reason = "the network gateway " + std::string(how) + ": records are lost"});
}

void RunGateway::Finish(const Undelivered& undelivered) {
  if (!gateway_) return;
  if (gateway_->id < 0) {
    TakeLastRecords(gateway_->records.Get(), on_record_);
  } else {
    pollfd end{.fd = gateway_->records.Get(), .events = POLLIN, .revents = 0};
    if (Records() >= 0 && ::poll(&end, 1, 0) > 0 && (end.revents & POLLHUP) != 0) TakeRecords(true);
    const bool served = !gateway_->handover;
    if (!FinishGateway(*gateway_, on_record_, undelivered) && served && !gone_)
      Lose("did not end in time behind the run");
  }
  gateway_.reset();
}

Status RunGateway::Connect(pid_t process) {
  const std::string path = "/proc/" + std::to_string(process) + "/ns/net";
  const UniqueFd network{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  const UniqueFd handle = HandleOf(process);
  if (!network || !handle) return egress::InsideError(egress::InsideStep::kJoin, errno);
  const SandboxNamespaces sandbox{.launcher = ::getpid(), .process = handle.Get(), .network = network.Get()};
  if (Status opened = RunHelper(sandbox, egress::PrepareInside(*rules_), Handover()); !opened) return opened;
  if (AwaitGateway(Handover()) == 0) return Done{};
  return SystemError(ErrorCode::kSetupFailed, "could not reach the network gateway", errno);
}

}  // namespace mxc
