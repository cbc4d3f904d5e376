// The process that keeps one sandbox from provision to deprovision. It answers one message of a launcher at a
// time, and hands connections for commands on to init. When it dies, the kernel ends the sandbox, and the
// cleanup process removes the host resources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "persistent/directory.h"
#include "persistent/followers.h"
#include "persistent/id.h"
#include "persistent/live_sandbox.h"
#include "persistent/message.h"
#include "persistent/persistent.h"
#include "report/audit.h"
#include "run/signals.h"
#include "unix_sockets/run_marks.h"

namespace mxc::session {

// A name in the state directory, and the socket behind it.
struct Place {
  StateDirectory directory;
  SandboxId id = {};
  UniqueFd socket = {};
  UniqueFd provisioner = {};  // to the provisioning launcher, whose end ends the sandbox until kKeep
};

// Messages of the provisioning launcher to the daemon, one byte each.
inline constexpr char kKeep = 'k';      // keep the sandbox when I end
inline constexpr char kEnd = 's';       // stop it, and report what its commands left
inline constexpr char kReported = 'h';  // the user has the report; also from each caller that got warnings

class SandboxDaemon {
 public:
  // `plan`: of provision. `stages` and `signals` are borrowed.
  SandboxDaemon(Plan plan, const SessionLimits& limits, const Stages& stages, Place place,
                SignalScope& signals);
  // Returns when the sandbox was deprovisioned, its time is over, or a signal asks the daemon to end; the
  // name is removed then. If its commands have left something, returns only once a caller or the launcher
  // that waits has reported it to the user, or after a second signal.
  void Run();

 private:
  void PollOnce();
  [[nodiscard]] int PollTimeout() const;
  void OnTimers();
  void OnNames();
  void OnProvisioner();
  void OnCpuTime(std::uint64_t now);
  [[nodiscard]] bool CpuTimeIsUp() const;
  void OnSandbox(short init, short ends, short records);
  void Accept();
  struct Caller {
    UniqueFd connection = {};
    // If it was sent warnings, and kReported is awaited: their number, plus those reported before.
    std::size_t sent = 0;
  };
  // False: the connection is to be closed.
  [[nodiscard]] bool Serve(Caller& caller);
  [[nodiscard]] std::string Answer(Verb verb, Caller& caller);
  void OnReceipt(const Caller& caller);
  [[nodiscard]] Listed Look() const;
  [[nodiscard]] std::string State() const;
  [[nodiscard]] Status Start();
  [[nodiscard]] Status Renew();
  [[nodiscard]] Status OpenAudit();
  [[nodiscard]] Status Stop();
  void StopSandbox();
  void Expire(const char* how);
  void EndUnasked();
  void Await(const char* how);
  void SendToProvisioner();
  void OnSignal();
  [[nodiscard]] Status Enter(const UniqueFd& connection);
  [[nodiscard]] Status Follow(const UniqueFd& connection);
  void End();

  Plan plan_;             // of the last start
  RunMark mark_ = {};     // while the sandbox runs
  std::string entry_;     // reply to an exec (EntryText)
  std::string basis_;     // basis of reports (BasisText), of the last start
  SessionLimits limits_;  // of the last start
  const Stages& stages_;
  Place place_;
  SignalScope& signals_;
  UniqueFd names_;                    // inotify: a name was removed
  std::vector<Caller> callers_ = {};  // connections without a call so far, or without a receipt
  LiveSandbox sandbox_;
  Followers followers_;
  std::optional<AuditLog> audit_ = {};    // for decisions of the gateway
  std::uint64_t provisioned_ms_;          // of NowMs(), like all the following
  std::uint64_t busy_ms_;                 // time of the last request or running command
  std::uint64_t cpu_limit_ms_ = 0;        // for all commands since start; 0: none
  std::uint64_t cpu_look_ms_ = 0;         // when to check the processor time again
  std::uint64_t cpu_end_ms_ = 0;          // when to stop the sandbox for it; 0: within the limit
  std::uint64_t look_ms_;                 // when to check again that our name exists
  bool stopped_ = false;                  // the sandbox has run and was stopped
  std::vector<Warning> unreported_ = {};  // warnings of the stages that were not reported yet
  std::size_t reported_ = 0;              // number of those that were reported
  bool used_ = false;                     // a command has run in it
  bool signalled_ = false;                // a signal asks the daemon to end and is not yet handled
  bool expired_ = false;                  // it has ended, and the next caller must report what was left
  const char* ended_how_ = "";            // if expired_: why it ended
  bool done_ = false;
};

}  // namespace mxc::session
