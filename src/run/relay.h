// Stays with a started child until it, its sandbox and its output have ended. One thread, one poll.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/unique_fd.h"
#include "engine/engine.h"
#include "mxc/outcome.h"
#include "mxc/plan.h"
#include "run/bubblewrap_status.h"
#include "run/call_watch.h"
#include "run/run_gateway.h"
#include "run/signals.h"
#include "run/stop.h"
#include "spawn/spawn.h"
#include "stdio/private_terminal.h"
#include "stdio/standard_input.h"
#include "stdio/stream.h"

namespace mxc {

// Everything is borrowed but `status`.
struct RelayInput {
  const ChildProcess& child;
  RunTree& tree;
  SignalScope& signals;
  UniqueFd status = {};  // our end of the status pipe; empty without one
  std::uint32_t timeout_ms = 0;
  std::uint64_t started_ms = 0;       // of NowMs()
  std::vector<Stream*> outputs = {};  // from the child: the run lasts until they end
  Stream* terminal_input = nullptr;   // to a private terminal
  StandardInput* input = nullptr;
  const PrivateTerminal* terminal = nullptr;               // borrowed
  std::function<void(std::int64_t)> on_sandbox = nullptr;  // process 1 of the sandbox exists
  CommandReports* reports = nullptr;                       // our engine's
  RunGateway* gateway = nullptr;
  CallWatch& watch;
  std::uint64_t cpu_time_limit_ms = 0;                     // 0: none
  std::function<std::uint64_t()> cpu_time_used = nullptr;  // in ms, of the whole run
};

// How the run ended. `reported` is false if the sandbox never reported its command's status, because its
// set-up failed or because we killed it.
struct RelayResult {
  int exit_code = 0;
  int signal = 0;
  bool reported = false;
  bool timed_out = false;
  bool cpu_time_out = false;
  int interrupted_by = 0;
  bool exited = false;  // the command, and no signal has ended it
  // The launcher ended the run.
  [[nodiscard]] bool Stopped() const { return timed_out || cpu_time_out || interrupted_by != 0; }
};

[[nodiscard]] std::uint64_t NowMs();  // CLOCK_MONOTONIC

class Relay {
 public:
  explicit Relay(RelayInput input) : in_(std::move(input)) {}
  [[nodiscard]] RelayResult Run();

 private:
  enum class Stage { kRunning, kTerminating, kKilled };

  [[nodiscard]] bool Done() const;
  [[nodiscard]] int PollTimeout() const;
  void LookAtJob();
  void PollOnce();
  void OnSignals();
  void OnStatus();
  void OnChildEnd();
  void TakeEnd(int code, int status);
  void TakeCommandStatus();
  [[nodiscard]] bool WatchesStops() const;
  [[nodiscard]] bool MayStop() const;
  void OnReport();
  void OnSandboxEnd();
  void OnTimers(bool silent);
  void OnCpuTime(std::uint64_t now);
  void OnSignal(const TakenSignal& signal);
  void Stop(int number, bool told = false);
  void Kill();
  void OnDrainDeadline();

  RelayInput in_;
  RelayResult result_;
  SandboxStatus report_;
  Stage stage_ = Stage::kRunning;
  std::uint64_t stop_deadline_ = 0;   // end of the grace period; after the kill, limit for all that follows
  std::uint64_t drain_deadline_ = 0;  // 0: not draining
  std::uint64_t cpu_time_check_ = 0;  // when to look at the processor time again
  std::uint64_t rest_of_line_ = 0;    // when to read on in the status pipe; 0: when it is readable
  bool reports_ended_ = false;
  bool child_ended_ = false;
  bool tree_ended_ = false;
  std::uint64_t idle_deadline_ = 0;  // when to call OutputFilter::Idle; 0: already called
  bool settled_ = false;
  bool in_background_ = false;  // another job is in the foreground of the caller's terminal
};

}  // namespace mxc
