// Our own Linux engine: runs a LinuxSandbox with system calls, without a helper program.
//
//   // The command runs when this returns.
//   Result<SandboxProcess> process = StartSandbox({.sandbox = sandbox});
//   // Every process inside has ended when this does.
//   waitid(P_PIDFD, process->handle.Get(), &info, WEXITED);
//   std::optional<int> status = CommandReports(std::move(process->report)).Status();
//
// Order of events, all of it in child.cc: clone3 with the namespaces; identity; mount tree, and the
// network meanwhile; new root; the gateway stands; lockdown; the command. What each namespace holds is
// docs/backends/namespaces.md.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/unique_fd.h"
#include "engine/namespace_discard.h"
#include "mxc/egress.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "mxc/sandbox/landlock_sandbox.h"
#include "mxc/sandbox/linux_sandbox.h"
#include "spawn/process_group_guard.h"

namespace mxc {

struct Streams {
  // Borrowed descriptors that become 0, 1 and 2; -1: inherited as they are.
  std::array<int, 3> standard = {-1, -1, -1};
  int controlling_terminal = -1;  // borrowed; becomes the controlling terminal of the command's session
  // Told as soon as the sandbox's init exists.
  std::function<void(pid_t)> on_created = nullptr;
  int cleanup_process = -1;  // borrowed: who holds it open keeps the cleanup process from removing anything
  // Returns when the borrowed descriptor is readable; false: wait no longer. A grant may lie on a file system
  // that does not answer, and then set-up lasts as long as that does. Absent: waits.
  std::function<bool(int)> wait = nullptr;
};

// Control groups that the sandbox is in from its first instruction.
struct Groups {
  std::vector<int> entrances = {};  // borrowed, for EnterGroup
  int unified = -1;                 // borrowed directory of the version 2 group it is created in
};

struct SandboxRequest {
  const LinuxSandbox& sandbox;
  Streams streams = {};
  // The network gateway, when the sandbox has one: it gets its sockets through `gateway_handover`, and the
  // command starts when it serves. Both borrowed.
  const EgressRules* egress = nullptr;
  int gateway_handover = -1;
  Groups groups = {};
  // Borrowed: where the command hands over the listener of CallWatch; -1: its calls are not watched.
  int watch_socket = -1;
  bool watch_files = false;  // false: connect(2) alone
  // For a persistent sandbox: borrowed, init's end of a socket (SOCK_SEQPACKET). Then no command is run.
  // Every message on it is one byte and a connection (StartInSession). What comes back is the multiplexer of
  // its terminals (engine/persistent/multiplexer.h), and then one byte for each command that has ended. Init
  // ends with the daemon, whom it takes for its launcher.
  int session = -1;
};

// A command for a persistent sandbox.
struct SessionRequest {
  int connection = -1;          // borrowed: its other end is with the sandbox's init
  const LinuxSandbox& sandbox;  // its argv, environment and cwd
  Streams streams = {};         // `on_created` is not called
  bool background = false;      // once it runs, it does not end with `connection`
  int watch_socket = -1;        // as SandboxRequest's; not of one in the background
  bool watch_files = false;     // as SandboxRequest's
};

// A sandbox whose namespaces LXC makes.
struct ContainerRequest {
  const LxcLaunch& container;
  // Its `groups` have entrances only: the container's process 1 enters them, and LXC is in none.
  SandboxRequest inside;
};

struct LandlockRequest {
  const LandlockSandbox& sandbox;
  Streams streams = {};
  Groups groups = {};
};

// The sandbox's init. It forwards the signals it is sent to the command's process group, and ends when the
// command has ended; the kernel then ends everything that is left. It dies with the calling thread.
struct SandboxProcess {
  pid_t id = -1;
  UniqueFd handle = {};  // pidfd: readable when the whole sandbox has ended; waiting on it reaps
  UniqueFd report = {};  // for CommandReports
  Discard discard = {};  // to be closed when all else is over
  bool started = false;  // the command has been executed; false: `wait` gave up, and this is to be killed
  // Of a sandbox without namespaces: its directory for temporary files. Init removes it; whoever finds init
  // killed calls RemoveTree.
  std::string temp = {};
  // Process 1 of a container, whose parent is `id` then: lxc-start. `guard` guards that until it has tied its
  // child to itself.
  pid_t container = -1;
  ProcessGroupGuard guard = {};
};

// Returns when the command has been executed, or when `wait` gives up. Errors: kSetupFailed, naming the step
// and the path that failed, with a remedy where one is known; nothing is left of the sandbox then.
// kUnavailable: the kernel refuses a namespace, or a /proc of its own; a weaker isolation level may still
// work.
[[nodiscard]] Result<SandboxProcess> StartSandbox(const SandboxRequest& request);

// The same without namespaces. Init is no process 1: it adopts what loses its parent, and ends everything
// when the command has ended, when it is sent SIGTERM, or when the calling thread dies. Should init itself be
// killed, what is left becomes the calling process's, if that is a subreaper.
[[nodiscard]] Result<SandboxProcess> StartSandbox(const LandlockRequest& request);

// The same in a container of LXC's. Errors: also kConflict, when a container of this name runs already.
[[nodiscard]] Result<SandboxProcess> StartContainer(const ContainerRequest& request);

// Runs a command in a persistent sandbox, under everything the sandbox's init is under. What is returned is
// the command's supervisor: no child of ours, readable when the command and all it started have ended. It
// ends all of that when it is sent SIGTERM from outside, or when `connection` is closed. Its `id` is -1 when
// it has ended already. Errors: kSetupFailed, as StartSandbox; nothing of the command is left then.
[[nodiscard]] Result<SandboxProcess> StartInSession(const SessionRequest& request);

// What init says about a command that runs.
class CommandReports {
 public:
  explicit CommandReports(UniqueFd report) : report_(std::move(report)) {}

  [[nodiscard]] int Descriptor() const { return report_.Get(); }  // readable when there is something
  // Waits for the next one. True: the command has a private terminal and was stopped by a signal; it goes on
  // when init is sent SIGCONT. False: it has ended, or its init was killed.
  [[nodiscard]] bool TakeStop();
  // How the command ended, as wait(2) gives it; call it when `handle` is readable. Nothing: its init was
  // killed before the command ended.
  [[nodiscard]] std::optional<int> Status();
  // Then: the MiB of its private /tmp, when that was full at the end.
  [[nodiscard]] std::optional<int> FullTmp() const { return full_tmp_; }
  // And the name of a process that the command left in its session, to be ended with it; "": there was none.
  [[nodiscard]] const std::string& Left() const { return left_; }

 private:
  UniqueFd report_;
  std::optional<int> full_tmp_ = {};
  std::string left_ = {};
  std::optional<int> status_ = {};
};

}  // namespace mxc
