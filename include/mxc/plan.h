// A Plan: what we will do, as data. Planners are pure; src/run is the one machine that runs plans.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mxc/containment.h"
#include "mxc/egress.h"
#include "mxc/landlock_sandbox.h"
#include "mxc/linux_sandbox.h"
#include "mxc/policy.h"
#include "mxc/seatbelt_sandbox.h"
#include "mxc/secret.h"
#include "mxc/windows/app_container.h"
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

// This program itself, as an O_PATH descriptor; and init's end of the daemon's socket: what process 1 of a
// persistent sandbox is made of (engine/persistent/session_init.h).
struct OwnProgram {};
struct HostProc {};
struct SessionSocket {};
inline constexpr const char* kSandboxEntryFlag = "--sandbox-entry";
inline constexpr const char* kSessionInitFlag = "--session-init";

using InheritedFile = std::variant<ArgumentFile, PathFile, StatusPipe, InfoPipe, BlockPipe, OwnProgram,
                                   HostProc, SessionSocket>;

// ---- the child -------------------------------------------------------------------------------------------

enum class Terminal {
  kInherit,     // standard streams as they are
  kPrivatePty,  // a pseudo-terminal of its own, relayed: nothing can be pushed into the caller's
};

// How one learns how the command ended.
enum class Reporting {
  kExitStatus,  // of the child itself
  kStatusPipe,  // of the command inside; a child that ends without a report failed to set up
  kInit,        // of the command inside, from our engine's init, which is the child itself
  kContainer,   // the same, from an init that is the child's child
  kSupervisor,  // the same without a pid namespace: what outlives that process becomes ours
  kSession,     // of the command, from its supervisor in a persistent sandbox; no child of ours
};

// One program to start. It inherits the standard streams and `files`, nothing else.
struct Exec {
  std::string program = {};                // absolute; never looked up on PATH
  std::vector<Piece> argv = {};            // argv[0] included
  std::vector<Variable> environment = {};  // of `program` itself, not of the command in the sandbox
  std::string cwd = {};                    // empty: stay
  std::vector<InheritedFile> files =
      {};  // the launcher opens them in order; a piece may name only earlier ones
  std::vector<PathFile> verified = {};  // looked at right before the start, and not handed over
  // Directories that `program` sees so (PathRule::unmapped_owners), in a mount namespace of its own. Of root.
  std::vector<std::string> unmapped_owners = {};
  Terminal terminal = Terminal::kInherit;
  bool new_session = false;  // without the caller's terminal, in a process group of its own
  Reporting reporting = Reporting::kExitStatus;
  ProcessLimits limits = {};
};

// Our own engine builds Plan::sandbox and runs its command in it.
struct SandboxChild {
  Terminal terminal = Terminal::kInherit;
};

// LXC makes an empty container, and our own engine is its process 1: there it builds Plan::sandbox.
struct LxcChild {
  std::string program = {};        // lxc-start; absolute
  std::string configuration = {};  // lxc.container.conf(5)
  std::string name = {};           // of the container; empty: one that no other has
  Terminal terminal = Terminal::kInherit;
};

// Our own engine runs the command of Plan::landlock.
struct LandlockChild {
  Terminal terminal = Terminal::kInherit;
};

// macOS: a second mxc-exec confines itself with Plan::seatbelt and runs its command.
struct SeatbeltChild {
  Terminal terminal = Terminal::kInherit;
};

// A command in a sandbox that another process holds. Of Plan::sandbox only the command counts.
struct SessionChild {
  Terminal terminal = Terminal::kInherit;
  int connection = -1;  // borrowed: a socket whose other end the sandbox's init has
};

// Windows: the command of Plan::app_container in a job; `confined`: and in its container.
struct AppContainerChild {
  bool confined = true;
  Terminal terminal = Terminal::kInherit;
};

// Windows: the mxc-exec of Plan::wsl runs the command in a distribution.
struct WslChild {
  Terminal terminal = Terminal::kInherit;
};

// Windows: the virtual machine of Plan::windows_sandbox runs the command.
struct WindowsSandboxChild {
  Terminal terminal = Terminal::kInherit;
  std::string persistent = {};  // folder of a machine that runs already; empty: one for this command alone
};

using Child = std::variant<Exec, SandboxChild, LandlockChild, SeatbeltChild, SessionChild, AppContainerChild,
                           WslChild, WindowsSandboxChild, LxcChild>;

// ---- setup -----------------------------------------------------------------------------------------------

// Modes of what a placeholder stands as, which no other file has: a second run on the same directory must
// take it for what it is, not for a file of the user's.
inline constexpr std::uint32_t kPlaceholderMode = 01600;
inline constexpr std::uint32_t kPlaceholderFileMode = 01644;  // others may read it: to them it means nothing
inline constexpr std::uint32_t kPlaceholderDirectoryMode = 01755;

// A file or an empty directory at a denied or protected path that does not exist below a writable grant: the
// kernel can only mount on what has a name. Removed when the last sandbox that needs it has ended, also when
// the launcher was killed.
struct Placeholder {
  std::string path = {};
  std::optional<PlaceholderKind> placeholder_kind = {};  // absent: an empty file that is masked
};

// A value for a file of a control group.
struct CgroupSetting {
  std::string file = {};
  std::string value = {};
  bool optional = false;  // not every kernel has this file, and the limit holds without it
};

// A control group for the run below `parent`, under a name that no other has. The child enters it before it
// does anything else; removed with whatever is still in it when the run has ended, also when the launcher was
// killed.
struct ControlGroup {
  std::string parent = {};
  bool unified = false;                       // version 2
  std::vector<std::string> controllers = {};  // of version 2 that `settings` need
  std::vector<std::string> switch_on = {};    // of those, in `parent`; stays
  std::vector<CgroupSetting> settings = {};
};

// A directory of ours below a grant, made with those above it where it is missing: its name must be taken, by
// a mask, before a command can take it. It stays, as any run might have made it.
struct OwnDirectory {
  std::string path = {};
  std::uint32_t mode = 0700;
};

using Step = std::variant<Placeholder, ControlGroup, OwnDirectory>;  // each knows its own undo

// ---- the ledger ------------------------------------------------------------------------------------------

enum class Strength {
  kKernel,       // the kernel holds it
  kProxy,        // our gateway mediates it, with no way round
  kCooperative,  // the program could ignore it
  kNone,
};

// Claim that a clause holds, and through what. Refusal rules: docs/policy.md.
struct Enforcement {
  std::string pointer = {};
  Strength strength = Strength::kNone;
  std::string mechanism = {};
};

// What may be told of a command: its arguments may hold secrets.
struct CommandShape {
  std::string word = {};      // first word of a command line, when it is plainly a program's name or path
  std::size_t arguments = 0;  // argv[0] not counted
  std::size_t bytes = 0;      // of the command line, or of all arguments
};

struct Plan {
  Containment containment = Containment::kNone;
  Tier tier = Tier::kNone;
  IsolationLevel isolation_level = IsolationLevel::kNone;
  std::vector<Step> setup = {};  // undone in reverse
  Child child = Exec{};
  std::optional<LinuxSandbox> sandbox = {};  // what `child` builds, when it builds one: for --explain
  std::optional<EgressRules> egress = {};    // what the gateway lets through; absent: no gateway
  std::optional<LandlockSandbox> landlock = {};
  std::optional<SeatbeltSandbox> seatbelt = {};
  std::optional<AppContainerSandbox> app_container = {};
  std::optional<WslRun> wsl = {};
  std::optional<WindowsSandboxRun> windows_sandbox = {};
  std::vector<std::string> not_covered = {};  // what a weaker isolation level leaves open, one sentence each
  std::uint32_t timeout_ms = 0;
  Output output = {};
  Audit audit = {};
  std::vector<ResourceLimit> resources = {};  // as in the policy: for the outcome
  std::vector<Enforcement> ledger = {};
  std::vector<Warning> warnings = {};
  std::vector<std::string> relaxations = {};  // named weakenings: "shared-host-network"
  std::string command = {};                   // argv[0] inside the sandbox, for the audit log
  CommandShape shape = {};                    // the same
  std::string cwd = {};                       // inside the sandbox, for the audit log
  GitSnapshot git = {};                       // as in the policy: for the end of the run
};

[[nodiscard]] std::string_view Name(Strength strength);

}  // namespace mxc
