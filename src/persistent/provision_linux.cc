// From a plan to a daemon that lives on by itself.
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <utility>

#include "engine/hide_arguments.h"
#include "persistent/daemon.h"
#include "persistent/message.h"
#include "persistent/persistent.h"
#include "persistent/recovery_record.h"
#include "persistent/refusals.h"
#include "persistent/reply.h"
#include "remote/remote.h"
#include "run/signals.h"

namespace mxc::session {
namespace {

// Copies the environment, because Detach clears the memory of arguments and environment, and every start
// resolves the policy again.
void KeepEnvironment() {
  for (char** entry = environ; *entry != nullptr; ++entry) *entry = ::strdup(*entry);
}

// Gives up the launcher's streams, whose closing others wait for, its session and terminal, its working
// directory and its arguments.
void Detach(const Place& place) {
  ::setsid();
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  std::vector<unsigned> kept;
  for (const int fd : {place.socket.Get(), place.directory.Descriptor(), place.provisioner.Get()})
    kept.push_back(static_cast<unsigned>(fd));
  std::sort(kept.begin(), kept.end());
  unsigned first = 3;
  for (const unsigned fd : kept) {
    if (fd > first) ::syscall(SYS_close_range, first, fd - 1, 0U);
    first = fd + 1;
  }
  ::syscall(SYS_close_range, first, ~0U, 0U);
  KeepEnvironment();
  HideArguments("mxc-daemon");
  if (::chdir("/") != 0) ::_exit(1);
}

[[noreturn]] void Hold(Plan plan, const SessionLimits& limits, const Stages& stages, Place place) {
  Detach(place);
  SignalScope signals;
  if (!signals.Begin()) ::_exit(1);
  const StateDirectory* const directory = &place.directory;
  const std::string name = place.id.Name();
  // listen(2) records the peer credentials that the kernel names to callers (SO_PEERCRED): here, in the
  // daemon, and before the name is told.
  const bool listens = ::listen(place.socket.Get(), kMaxCallers) == 0;
  // Without a provisioner nobody will ever know the name.
  if (!listens || ::send(place.provisioner.Get(), "r", 1, MSG_NOSIGNAL) != 1) {
    directory->Remove(name);
    ::_exit(1);
  }
  SandboxDaemon(std::move(plan), limits, stages, std::move(place), signals).Run();
  ::_exit(0);
}

void SayTo(const UniqueFd& daemon, char word) {
  [[maybe_unused]] const ssize_t told = ::send(daemon.Get(), &word, 1, MSG_NOSIGNAL);
}

// The signal that asks for an end; 0: none of those that have arrived does.
int EndingSignal(SignalScope& signals) {
  for (const TakenSignal& signal : signals.Take()) {
    if (EndsRun(signal.number)) return signal.number;
  }
  return 0;
}

Error NotHeld() { return SetupFailed("the sandbox's daemon ended before it could answer"); }

}  // namespace

void Provisioned::Keep() {
  SayTo(daemon, kKeep);
  daemon.Reset();
}

// The daemon sends its last reply over the socket whose closing would tell it that the provisioner has gone.
Result<Provisioned::End> Provisioned::Wait() {
  SignalScope signals;
  if (Status begun = signals.Begin(); !begun) return begun.error();
  End end;
  pollfd polls[] = {{.fd = daemon.Get(), .events = POLLIN, .revents = 0},
                    {.fd = signals.Descriptor(), .events = POLLIN, .revents = 0},
                    {.fd = STDOUT_FILENO, .events = 0, .revents = 0}};
  while (polls[0].revents == 0) {
    if (::poll(polls, std::size(polls), -1) < 0 && errno != EINTR)
      return SystemError(ErrorCode::kSetupFailed, "wait for the end of the sandbox", errno);
    const int signal = polls[1].revents != 0 ? EndingSignal(signals) : 0;
    if (signal != 0 && end.signal != 0) return end;
    if (signal != 0) end.signal = signal;
    if (signal != 0 || polls[2].revents != 0) SayTo(daemon, kEnd);
    if (polls[2].revents != 0) polls[2].fd = -1;
  }
  const Result<std::string> reply = ReceiveReply(daemon.Get());
  if (!reply) return SandboxDied("its daemon was killed");
  Result<std::vector<Warning>> left = ParseOk(*reply);
  if (!left) return left.error();
  end.left = std::move(*left);
  end.ended = true;
  return end;
}

void Provisioned::Reported() { SayTo(daemon, kReported); }

Result<Provisioned> Provision(Plan plan, const SessionLimits& limits, const Stages& stages) {
  if (const Remote* const remote = RemoteOf(plan.containment))
    return remote->sandboxes.provision(std::move(plan), limits);
  const Result<SandboxId> id = NewSandboxId(plan.containment);
  if (!id) return id.error();
  Result<StateDirectory> directory = StateDirectory::Open();
  if (!directory) return directory.error();
  CleanUpByAllRecords(*directory);
  Result<UniqueFd> socket = directory->Listen(id->Name());
  if (!socket) return socket.error();
  Place place{.directory = std::move(*directory), .id = *id, .socket = std::move(*socket)};

  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return SystemError(ErrorCode::kSetupFailed, "create a socket", errno);
  Provisioned made{.id = id->Text(), .daemon = UniqueFd{ends[0]}};
  place.provisioner.Reset(ends[1]);
  const pid_t daemon = ::fork();
  if (daemon == 0) Hold(std::move(plan), limits, stages, std::move(place));
  const int number = errno;
  place.provisioner.Reset();
  char byte = 0;
  if (daemon > 0 && ::read(made.daemon.Get(), &byte, 1) == 1) return made;
  place.directory.Remove(id->Name());
  return daemon < 0 ? SystemError(ErrorCode::kSetupFailed, "start the sandbox's daemon", number) : NotHeld();
}

}  // namespace mxc::session
