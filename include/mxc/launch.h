// How a plan's command is started: one alternative per way of starting something. It holds all that its
// runner needs, as data; what is known only while a run is under way (descriptors, process numbers) stands in
// src/run.
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

// Number of a descriptor in the child: an index into Exec::files, printed as the number the launcher gave it,
// or as the name under which /proc shows that descriptor to whoever holds it.
struct FileNumber {
  std::size_t file = 0;
  bool as_path = false;  // "/proc/self/fd/N"
};

// Text, text that is never printed, or the number of an inherited descriptor.
using Piece = std::variant<std::string, Secret, FileNumber>;

// Arguments separated by NUL, in a sealed memfd: nothing of them shows in /proc/*/cmdline.
struct ArgumentFile {
  std::vector<Piece> arguments = {};
};

// A text in a sealed memfd, as it stands.
struct TextFile {
  std::string text = {};
};

// An O_PATH descriptor of `path`, refused unless it is still `object`.
struct PathFile {
  std::string path = {};
  FileObject object = {};
  bool any_object = false;  // only the type of `object` is known, and no component of `path` is a symlink
};

// The writing end of a pipe on which bubblewrap reports {"child-pid": n} and {"exit-code": n}.
struct StatusPipe {};

// The writing end of a pipe on which bubblewrap reports {"child-pid": n}, once; and what it waits for then:
// one byte, before it runs the command. A pipe that it holds open itself, so that the launcher's death is no
// byte.
struct InfoPipe {};
struct BlockPipe {};

// This program itself, as an O_PATH descriptor; the host's /proc; and a socket: init's end of the daemon's
// (engine/persistent/session_init.h), or of a run the one for the listener of its calls (run/call_watch.h).
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
  kPrivatePty,  // a pseudo-terminal of its own, relayed: nothing can be pushed into the caller's
};

// One program to start. It inherits the standard streams and `files`, nothing else.
struct Exec {
  std::string program = {};                // absolute; never looked up on PATH
  std::string sha256 = {};                 // what its file must hash to; empty: whatever it is
  std::vector<Piece> argv = {};            // argv[0] included
  std::vector<Variable> environment = {};  // of `program` itself, not of the command in the sandbox
  std::string cwd = {};                    // empty: stay
  std::vector<InheritedFile> files =
      {};  // the launcher opens them in order; a piece may name only earlier ones
  std::vector<PathFile> verified = {};  // looked at right before the start, and not handed over
  // Directories that `program` sees so (PathRule::unmapped_owners), in a mount namespace of its own. Of root.
  std::vector<std::string> unmapped_owners = {};
  bool new_session = false;  // without the caller's terminal, in a process group of its own
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

// bwrap builds the sandbox: its arguments say what `sandbox` does.
struct BubblewrapLaunch {
  LinuxSandbox sandbox = {};
  Exec bwrap = {};
  Terminal terminal = Terminal::kInherit;
};

// LXC makes an empty container, and our own engine is its process 1: there it builds the sandbox.
struct LxcLaunch {
  LinuxSandbox sandbox = {};
  std::string program = {};        // lxc-start; absolute
  std::string sha256 = {};         // as of Exec
  std::string configuration = {};  // lxc.container.conf(5)
  std::string name = {};           // of the container; empty: one that no other has
  Terminal terminal = Terminal::kInherit;
};

// Our own engine runs the command without namespaces.
struct LandlockLaunch {
  LandlockSandbox sandbox = {};
  Terminal terminal = Terminal::kInherit;
};

// A pod of a cluster is claimed, or was before, and the mxc-exec in it runs the command.
struct KubernetesLaunch {
  PodRun run = {};
  std::optional<KeptPod> kept = {};  // of a persistent sandbox: it stays
  Terminal terminal = Terminal::kInherit;
};

// A command in a persistent sandbox that runs already. Of `sandbox` only what is the command's counts: argv,
// environment and cwd.
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
  // Folder of a sandbox that stands already, and its identifier inside; empty: one for this command alone.
  std::string persistent = {};
  std::string inside = {};
  Terminal terminal = Terminal::kInherit;
};

// Windows: a virtual machine runs the command.
struct WindowsSandboxLaunch {
  WindowsSandboxRun run = {};
  std::string persistent = {};  // folder of a machine that runs already; empty: one for this command alone
  Terminal terminal = Terminal::kInherit;
};

// Windows: a session of a user of its own. No build starts one yet: the plan is shown.
struct IsolationSessionLaunch {
  IsolationSession sandbox = {};
  Terminal terminal = Terminal::kInherit;
};

using Launch = std::variant<DirectLaunch, NamespacesLaunch, BubblewrapLaunch, LxcLaunch, LandlockLaunch,
                            KubernetesLaunch, PersistentLaunch, SeatbeltLaunch, AppContainerLaunch, WslLaunch,
                            WindowsSandboxLaunch, IsolationSessionLaunch>;

// What is ended, in the last resort, when the time of a run is over.
enum class Ending {
  kProcessGroup,    // the command's, and what the launcher adopts of it; a daemon could get away
  kPidNamespace,    // process 1, and with it every process of the namespace
  kLandlockDomain,  // every process of the domain: signals are scoped to it (Linux 6.12)
  kAdopted,         // every process that init, a subreaper, has adopted
  kMarked,          // macOS: every process that carries the mark of the sandbox
  kJob,             // Windows: the job, and with it every process that it ever held
  kInnerLauncher,   // the sandbox of the mxc-exec inside
  kMachine,         // the virtual machine
  kSession,         // the isolation session
};

[[nodiscard]] Ending EndingOf(const Launch& launch);

// A program of this machine that is started outside of the sandbox.
struct Helper {
  std::string path = {};
  std::string* sha256 = nullptr;  // what its file must hash to, in the launch; borrowed
  bool runs_others = false;       // as files of its own say: its hash says nothing of those
};
[[nodiscard]] std::vector<Helper> HelpersOf(Launch& launch);
[[nodiscard]] Terminal TerminalOf(const Launch& launch);
// The mount tree and namespaces of a launch that has them, or nullptr; borrowed.
[[nodiscard]] const LinuxSandbox* LinuxSandboxOf(const Launch& launch);
// Of the command; borrowed. Empty where it is in the configuration of another mxc-exec.
[[nodiscard]] const std::vector<Variable>& CommandEnvironment(const Launch& launch);

}  // namespace mxc
