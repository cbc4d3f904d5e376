// The process that keeps one sandbox from provision to deprovision. It answers launchers one message at a
// time; commands it only lets in. When it dies, the kernel ends the sandbox, and the cleanup process clears
// the host.
#pragma once

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
  UniqueFd provisioner = {};  // who made it, until it is kept; gone, it ends
};

// What its provisioner says to the daemon, one byte at a time.
inline constexpr char kKeep = 'k';   // it stays without me
inline constexpr char kEnd = 's';    // stop, and tell me what was left
inline constexpr char kHeard = 'h';  // I have told that

class SandboxDaemon {
 public:
  // `plan` is that of provision. `stages` and `signals` are borrowed.
  SandboxDaemon(Plan plan, const SessionLimits& limits, const Stages& stages, Place place,
                SignalScope& signals);
  // Until the sandbox is deprovisioned, its time is over, or we are told to end. The name is gone then. When
  // its commands have left something, and nobody who waits has heard of it, until it has been said, or we are
  // told to end once more.
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
  // False: it is done with.
  [[nodiscard]] bool Serve(const UniqueFd& connection);
  [[nodiscard]] std::string Answer(Verb verb, const UniqueFd& connection);
  [[nodiscard]] std::string State() const;
  [[nodiscard]] Status Start();
  [[nodiscard]] Status Renew();
  [[nodiscard]] Status Stop();
  void StopSandbox();
  void Expire(const char* how);
  void EndUnasked();
  void OnSignal();
  [[nodiscard]] Status Enter(const UniqueFd& connection);
  [[nodiscard]] Status Follow(const UniqueFd& connection);
  void End();

  Plan plan_;             // of the last start
  RunMark mark_ = {};     // while it stands
  std::string entry_;     // what an exec is told of it
  std::string basis_;     // and what its report is made by; of the last start
  SessionLimits limits_;  // of the last start, too
  const Stages& stages_;
  Place place_;
  SignalScope& signals_;
  UniqueFd names_;                      // tells when names are removed
  std::vector<UniqueFd> callers_ = {};  // who has connected, and not called yet
  LiveSandbox sandbox_;
  Followers followers_;
  std::optional<AuditLog> audit_ = {};  // of what the gateway decides
  std::uint64_t provisioned_ms_;        // of NowMs(), like all the following
  std::uint64_t busy_ms_;               // when something was asked for, or running, last
  std::uint64_t cpu_limit_ms_ = 0;      // of all commands since start; 0: none
  std::uint64_t cpu_look_ms_ = 0;       // when to see how much is used
  std::uint64_t cpu_end_ms_ = 0;        // when it is stopped for that; 0: there is some left
  std::uint64_t look_ms_;               // when to look at our name again
  bool stopped_ = false;                // has stood before
  std::vector<Warning> told_ = {};      // what the stages have said, for who asks next
  bool used_ = false;                   // a command has been in it
  bool signalled_ = false;              // we are to end, and have not done anything about it
  bool expired_ = false;                // it has ended, and what it has left is to be told
  const char* ended_how_ = "";          // then
  bool done_ = false;
};

}  // namespace mxc::session
