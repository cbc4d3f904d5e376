// How a plan's command is started: one alternative for each way. It contains everything that its runner
// needs, as data; src/run has what is known only during a run (descriptors, process numbers).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mxc/file_object.h"
#include "mxc/kubernetes/pod_run.h"
#include "mxc/sandbox/landlock_sandbox.h"
#include "mxc/sandbox/linux_sandbox.h"
#include "mxc/sandbox/seatbelt_sandbox.h"
#include "mxc/secret.h"
#include "mxc/windows/app_container.h"
#include "mxc/windows/isolation_session.h"
#include "mxc/windows/sandbox_run.h"
#include "mxc/windows/wsl_run.h"

namespace mxc {

// ---- files that cross into the child ---------------------------------------------------------------------

// A descriptor in the child: an index into Exec::files, rendered as its number, or as its path in
// /proc/self/fd.
struct FileNumber {
  std::size_t file = 0;
  bool as_path = false;  // "/proc/self/fd/N"
};

// Text, text that is never printed, or the number of an inherited descriptor.
using Piece = std::variant<std::string, Secret, FileNumber>;

// Arguments separated by NUL, in a sealed memfd, so that /proc/*/cmdline does not show them.
struct ArgumentFile {
  std::vector<Piece> arguments = {};
};

// A text in a sealed memfd.
struct TextFile {
  std::string text = {};
};

// An O_PATH descriptor of `path`; the run is refused unless that is still `object`.
struct PathFile {
  std::string path = {};
  FileObject object = {};
  bool any_object = false;  // only the type of `object` is known, and no component of `path` is a symlink
};

// The writing end of a pipe on which bubblewrap reports {"child-pid": n} and {"exit-code": n}.
struct StatusPipe {};

// The writing end of a pipe on which bubblewrap reports {"child-pid": n}, once; and the pipe from which it
// then waits for one byte before it runs the command. bubblewrap holds both ends of the second pipe, so the
// launcher's death does not end the wait.
struct InfoPipe {};
struct BlockPipe {};

// This program itself, as an O_PATH descriptor; the host's /proc; and a socket: in a persistent sandbox
// init's end of the daemon's (engine/persistent/session_init.h), in a run the one for the seccomp listener
// (run/call_watch.h).
struct OwnProgram {};
struct HostProc {};
struct SessionSocket {};
inline constexpr const char* kSandboxEntryFlag = "--sandbox-entry";
inline constexpr const char* kSessionInitFlag = "--session-init";

using InheritedFile = std::variant<ArgumentFile, TextFile, PathFile, StatusPipe, InfoPipe, BlockPipe,
                                   OwnProgram, HostProc, SessionSocket>;

// ---- how to start it -----------------------------------------------------------------------------------

enum class Terminal {
  kInherit,     // standard streams as they are
  kPrivatePty,  // its own pseudo-terminal, relayed: it cannot push input into the caller's
};

// A program to start. It inherits only the standard streams and `files`.
struct Exec {
  std::string program = {};                // absolute; never looked up on PATH
  std::string sha256 = {};                 // required hash of its file; empty: any
  std::vector<Piece> argv = {};            // with argv[0]
  std::vector<Variable> environment = {};  // of `program` itself, not of the command in the sandbox
  std::string cwd = {};                    // empty: stay
  // Opened by the launcher in this order; a piece may name only earlier ones.
  std::vector<InheritedFile> files = {};
  std::vector<PathFile> verified = {};  // checked right before the start, and not inherited
  // Directories to idmap for `program` (PathRule::unmapped_owners), in its own mount namespace. Root only.
  std::vector<std::string> unmapped_owners = {};
  bool new_session = false;  // without the caller's terminal, in its own process group
  ProcessLimits limits = {};
};

// The command itself, without isolation.
struct DirectLaunch {
  Exec command = {};
  Terminal terminal = Terminal::kInherit;
};

// Our own engine builds the sandbox and runs its command in it.
struct NamespacesLaunch {
  LinuxSandbox sandbox = {};
  Terminal terminal = Terminal::kInherit;
};

// bwrap builds the sandbox; its arguments are rendered from `sandbox`.
struct BubblewrapLaunch {
  LinuxSandbox sandbox = {};
  Exec bwrap = {};
  Terminal terminal = Terminal::kInherit;
};

// LXC creates an empty container. Our own engine is its process 1 and builds the sandbox in it.
struct LxcLaunch {
  LinuxSandbox sandbox = {};
  std::string program = {};        // lxc-start; absolute
  std::string sha256 = {};         // see Exec
  std::string configuration = {};  // lxc.container.conf(5)
  std::string name = {};           // of the container; empty: a unique one
  Terminal terminal = Terminal::kInherit;
};

// Our own engine runs the command without namespaces.
struct LandlockLaunch {
  LandlockSandbox sandbox = {};
  Terminal terminal = Terminal::kInherit;
};

// The mxc-exec in a pod of a cluster, claimed for this run or earlier, runs the command.
struct KubernetesLaunch {
  PodRun run = {};
  std::optional<KeptPod> kept = {};  // for a persistent sandbox
  Terminal terminal = Terminal::kInherit;
};

// A command in a running persistent sandbox. Only argv, environment and cwd of `sandbox` count.
struct PersistentLaunch {
  LinuxSandbox sandbox = {};
  Terminal terminal = Terminal::kInherit;
};

// macOS: a second mxc-exec confines itself with the profile and runs the command.
struct SeatbeltLaunch {
  SeatbeltSandbox sandbox = {};
  Terminal terminal = Terminal::kInherit;
};

// Windows: the command in a job; `confined`: and in the container.
struct AppContainerLaunch {
  AppContainerSandbox sandbox = {};
  bool confined = true;
  Terminal terminal = Terminal::kInherit;
};

// Windows: the mxc-exec of a distribution runs the command.
struct WslLaunch {
  WslRun run = {};
  // Folder of a running persistent sandbox, and its identifier inside; empty: a sandbox for this command
  // alone.
  std::string persistent = {};
  std::string inside = {};
  Terminal terminal = Terminal::kInherit;
};

// Windows: a virtual machine runs the command.
struct WindowsSandboxLaunch {
  WindowsSandboxRun run = {};
  std::string persistent = {};  // folder of a running machine; empty: a machine for this command alone
  Terminal terminal = Terminal::kInherit;
};

// Windows: a session of another user. No build starts one; the plan is only shown.
struct IsolationSessionLaunch {
  IsolationSession sandbox = {};
  Terminal terminal = Terminal::kInherit;
};

using Launch = std::variant<DirectLaunch, NamespacesLaunch, BubblewrapLaunch, LxcLaunch, LandlockLaunch,
                            KubernetesLaunch, PersistentLaunch, SeatbeltLaunch, AppContainerLaunch, WslLaunch,
                            WindowsSandboxLaunch, IsolationSessionLaunch>;

// What is killed when the time of a run is over.
enum class Ending {
  kProcessGroup,    // the command's, and orphans that the launcher has adopted; a daemon could escape
  kPidNamespace,    // process 1, and with it every process of the namespace
  kLandlockDomain,  // every process of the domain, to which signals are scoped (Linux 6.12)
  kAdopted,         // every process that init, a subreaper, has adopted
  kMarked,          // macOS: every process that carries the mark of the sandbox
  kJob,             // Windows: the job, with every process that was ever in it
  kInnerLauncher,   // the sandbox of the mxc-exec inside
  kMachine,         // the virtual machine
  kSession,         // the isolation session
};

[[nodiscard]] Ending EndingOf(const Launch& launch);

// A program of this machine that is started outside the sandbox.
struct Helper {
  std::string path = {};
  std::string* sha256 = nullptr;  // required hash of its file, in the launch; borrowed
  bool runs_others = false;       // runs programs that its own files name, which its hash does not cover
};
[[nodiscard]] std::vector<Helper> HelpersOf(Launch& launch);
[[nodiscard]] Terminal TerminalOf(const Launch& launch);
// The LinuxSandbox of a launch that has one, or nullptr; borrowed.
[[nodiscard]] const LinuxSandbox* LinuxSandboxOf(const Launch& launch);
// The command's environment; borrowed. Empty if it is in the configuration of another mxc-exec.
[[nodiscard]] const std::vector<Variable>& CommandEnvironment(const Launch& launch);

}  // namespace mxc
