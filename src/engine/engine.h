// Our own Linux engine: runs a LinuxSandbox with system calls, without a helper program.
//
//   // The command runs when this returns.
//   Result<SandboxProcess> process = StartSandbox({.sandbox = sandbox});
//   // Every process inside has ended when this does.
//   waitid(P_PIDFD, process->handle.Get(), &info, WEXITED);
//   std::optional<int> status = CommandReports(std::move(process->report)).Status();
//
// Order of events, in child.cc: clone3 with the namespaces; identity; mount tree, and the network meanwhile;
// new root; the gateway serves; lockdown; the command. docs/backends/namespaces.md describes each namespace.
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
  // Called as soon as the sandbox's init exists.
  std::function<void(pid_t)> on_created = nullptr;
  int cleanup_process = -1;  // borrowed: as long as it is open, the cleanup process removes nothing
  // Returns when the borrowed descriptor is readable; false: set-up is to be given up. Set-up hangs as long
  // as a file system with a grant does not answer. Absent: waits for ever.
  std::function<bool(int)> wait = nullptr;
};

// Control groups that the sandbox belongs to from its first instruction.
struct Groups {
  std::vector<int> entrances = {};  // borrowed, for EnterGroup
  int unified = -1;                 // borrowed directory of the version 2 group it is created in
};

struct SandboxRequest {
  const LinuxSandbox& sandbox;
  Streams streams = {};
  // The network gateway, if the sandbox has one: it gets its sockets through `gateway_handover`, and the
  // command starts once it serves. Both borrowed.
  const EgressRules* egress = nullptr;
  int gateway_handover = -1;
  Groups groups = {};
  // Borrowed: the command sends its seccomp listener here (CallWatch); -1: its calls are not watched.
  int watch_socket = -1;
  bool watch_files = false;  // false: connect(2) alone
  // For a persistent sandbox: borrowed, init's end of a socket (SOCK_SEQPACKET); no command is run then. Init
  // receives one byte and a connection for each command (StartInSession). It sends a reference to its
  // /dev/ptmx (engine/persistent/multiplexer.h), then one byte for each command that has ended. It ends with
  // the daemon, which is its launcher.
  int session = -1;
};

// A command for a persistent sandbox.
struct SessionRequest {
  int connection = -1;          // borrowed: its other end is with the sandbox's init
  const LinuxSandbox& sandbox;  // its argv, environment and cwd
  Streams streams = {};         // `on_created` is not called
  bool background = false;      // once started, it does not end with `connection`
  int watch_socket = -1;        // see SandboxRequest; not for a command in the background
  bool watch_files = false;     // see SandboxRequest
};

// A sandbox whose namespaces LXC creates.
struct ContainerRequest {
  const LxcLaunch& container;
  // Its `groups` have entrances only: the container's process 1 enters them, and LXC stays outside.
  SandboxRequest inside;
};

struct LandlockRequest {
  const LandlockSandbox& sandbox;
  Streams streams = {};
  Groups groups = {};
};

// The sandbox's init. It forwards the signals it is sent to the command's process group (SIGUSR1 and SIGUSR2
// to the command alone), and ends when the command has ended; the kernel then ends everything that is left.
// It dies with the calling thread.
struct SandboxProcess {
  pid_t id = -1;
  UniqueFd handle = {};  // pidfd: readable when the whole sandbox has ended; waiting on it reaps
  UniqueFd report = {};  // for CommandReports
  Discard discard = {};  // to be closed last
  bool started = false;  // the command was executed; false: `wait` gave up, and the sandbox must be killed
  // For a sandbox without namespaces: its directory for temporary files. Init removes it; if init was killed,
  // the launcher calls RemoveTree.
  std::string temp = {};
  // Process 1 of a container; `id` is its parent then, lxc-start. `guard` guards lxc-start until its child
  // has set its parent-death signal.
  pid_t container = -1;
  ProcessGroupGuard guard = {};
};

// Returns when the command was executed, or when `wait` gives up. Errors: kSetupFailed, naming the step and
// the path that failed, with a remedy if one is known; the sandbox has ended then. kUnavailable: the kernel
// refuses a namespace or a /proc of its own; a weaker isolation level may still work.
[[nodiscard]] Result<SandboxProcess> StartSandbox(const SandboxRequest& request);

// The same without namespaces. Init is not process 1: it adopts orphans (PR_SET_CHILD_SUBREAPER), and kills
// all processes when the command has ended, when it gets SIGTERM, or when the calling thread dies. If init is
// killed, the calling process adopts the rest if it is a subreaper itself.
[[nodiscard]] Result<SandboxProcess> StartSandbox(const LandlockRequest& request);

// The same in an LXC container. Errors: also kConflict, if a container of this name runs already.
[[nodiscard]] Result<SandboxProcess> StartContainer(const ContainerRequest& request);

// Runs a command in a persistent sandbox, confined like the sandbox's init. Returns the command's supervisor,
// which is no child of ours; its `handle` is readable when the command and its descendants have ended. The
// supervisor kills them when it gets SIGTERM from outside, or when `connection` is closed. Its `id` is -1 if
// it has ended already. Errors: kSetupFailed, as StartSandbox; the command has ended then.
[[nodiscard]] Result<SandboxProcess> StartInSession(const SessionRequest& request);

// Reads init's reports about a running command.
class CommandReports {
 public:
  explicit CommandReports(UniqueFd report) : report_(std::move(report)) {}

  [[nodiscard]] int Descriptor() const { return report_.Get(); }  // readable when there is a report
  // Waits for the next report. True: the command has a private terminal and was stopped by a signal; SIGCONT
  // to init continues it. False: it has ended, or its init was killed.
  [[nodiscard]] bool TakeStop();
  // The command's status as of wait(2); to be called when `handle` is readable. Absent: its init was killed
  // before the command ended.
  [[nodiscard]] std::optional<int> Status();
  // After Status: the size in MiB of its private /tmp, if that was full at the end.
  [[nodiscard]] std::optional<int> FullTmp() const { return full_tmp_; }
  // After Status: the name of a process that the command left in its session and that ends with it; "": none.
  [[nodiscard]] const std::string& Left() const { return left_; }

 private:
  UniqueFd report_;
  std::optional<int> full_tmp_ = {};
  std::string left_ = {};
  std::optional<int> status_ = {};
};

}  // namespace mxc
