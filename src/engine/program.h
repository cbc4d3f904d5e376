// A LinuxSandbox prepared to run: everything the child needs, in plain arrays, because nothing may allocate
// between clone3 and execve.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"
#include "engine/landlock.h"
#include "gateway/setup/inside.h"
#include "mxc/error.h"
#include "spawn/process_limits.h"

namespace mxc::engine {

// One action on the new root. A target in a tmpfs of ours is created relative to a descriptor of that tmpfs.
// A target in a bind mount must exist and is looked up without following links. So no action creates anything
// on the host.
struct MountAction {
  enum class Kind { kBind, kPin, kTmpfs, kMask, kProc, kDev, kDirectory, kSymlink, kFile };

  Kind kind = Kind::kDirectory;
  std::string target = {};  // absolute, for messages
  int base = 0;             // slot of the tmpfs that the target is in, or kInBind
  std::string path = {};    // relative to `base`, or to the root for a target in a bind mount; "" is the root
  int slot = -1;            // keeps the descriptor of this tmpfs for targets in it; -1: not kept

  std::string source = {};  // kBind; the text of kSymlink and kFile
  bool writable = false;
  bool unmapped_owners = false;
  int tree = -1;         // a copy of the mounts, if only the launcher can make it (CloneAhead); borrowed
  bool outer = false;    // kProc: the /proc of the launcher
  bool checked = false;  // the source must have this `device` and `inode`
  // The target must have them, too: the action binds a path of the policy over itself, or masks it.
  bool covers_self = false;
  bool placeholder = false;  // kMask: the target must be an empty file of kPlaceholderMode
  bool look_alike = false;   // the target may have gone, or be another file that looks like a placeholder
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool read_only = false;  // kTmpfs, kProc, kDev
  std::uint32_t mode = 0755;
  std::string mode_text = {};  // kTmpfs: options of the file system
  std::string size_text = {};
};
inline constexpr int kInBind = -1;

inline constexpr const char* kShell = "/bin/sh";  // runs a command line

struct Executable {
  std::vector<std::string> candidates = {};  // paths of the program, in the order of PATH
  std::vector<std::string> arguments = {};
  std::vector<char*> paths = {};  // into `candidates`
  std::vector<char*> argv = {};   // into `arguments`
};

struct Program {
  std::vector<MountAction> mounts = {};
  std::size_t slots = 1;      // slot 0 is the root
  bool root_is_bind = false;  // the first action binds the root itself
  bool root_read_only = true;
  bool own_tmp = false;     // /tmp is a tmpfs of the sandbox
  bool outer_proc = false;  // Landlock grants each mount, not the root, as /proc shows processes outside

  // Without namespaces init adopts and ends all processes, and these rules confine them.
  bool supervised = false;
  bool scoped = false;  // Landlock keeps signals inside; else a seccomp filter protects init and ...
  int launcher = -1;    // ... this process and its group
  int launcher_group = -1;
  LandlockRules landlock = {};            // built by the launcher; borrowed
  std::string temp = {};                  // created and removed by init; empty: none
  std::vector<MakeFile> home_files = {};  // files of the private HOME in `temp`, by name

  std::string uid_map = {};
  std::string gid_map = {};
  bool private_network = true;
  int gateway_handover = -1;  // borrowed; -1: no gateway
  egress::InsideSetup inside = {};
  std::string hostname = {};

  std::vector<std::span<const std::byte>> filters = {};
  std::vector<LimitValue> limits = {};
  std::vector<int> group_entrances = {};
  int unified_group = -1;
  [[nodiscard]] bool InGroup() const { return unified_group >= 0 || !group_entrances.empty(); }
  std::array<int, 3> standard = {-1, -1, -1};
  int controlling_terminal = -1;
  std::string terminal_path = {};                           // of `controlling_terminal`, on the host
  int discard_sender = -1, discard_queue = -1;              // of a Discard; borrowed; -1: none
  int report = -1;                                          // writing end; borrowed
  int report_reader = -1;                                   // the launcher's end
  std::vector<std::pair<unsigned, unsigned>> surplus = {};  // descriptors to close, as ranges

  int watch_socket = -1;  // borrowed; -1: the command's calls are not watched
  bool watch_files = false;
  int session = -1;  // borrowed: init's end of the daemon's socket, for a persistent sandbox; -1: one command

  Executable command = {};
  Executable plain = {};  // the program that the shell in `command` would merely execute; else no arguments
  std::vector<std::string> variables = {};
  std::vector<char*> envp = {};  // into `variables`
  std::string cwd = {};
  bool background = false;
};

// Arguments of execve(2): lists of strings that end with nullptr.
struct ExecutableView {
  char* const* paths = nullptr;  // tried in order
  char* const* argv = nullptr;
};
struct Command {
  ExecutableView program = {};
  ExecutableView plain = {};  // empty lists: none
  char* const* envp = nullptr;
  const char* cwd = nullptr;
  int controlling_terminal = -1;
  std::array<int, 3> standard = {-1, -1, -1};  // its standard streams, if not yet connected
  bool background = false;                     // SessionRequest::background
  int watch_socket = -1;
  bool watch_files = false;
};
[[nodiscard]] Command CommandOf(const Program& program);  // borrows from it

// A line of a user namespace map that maps `id` to itself.
[[nodiscard]] std::string IdentityLine(unsigned id);

// Sets the pointers of Program::command, plain and envp into the strings of the same object.
void SetPointers(Program& program);

// Fills everything except the report pipe. Errors: kInternal for an inconsistent mount tree.
[[nodiscard]] Status Prepare(const SandboxRequest& request, Program& program);
// The same without namespaces; the caller sets `program.landlock`. In engine_supervised.cc.
[[nodiscard]] Status Prepare(const LandlockRequest& request, Program& program);
// The part of both: the command and its environment.
struct CommandParts {
  const std::vector<std::string>& argv;
  const std::vector<Variable>& environment;
  const std::string& cwd;
  const ProcessLimits& limits;
};
void PrepareCommand(const CommandParts& parts, const Streams& streams, const Groups& groups,
                    Program& program);
// Fills Program::plain, for a sandbox with its own root. The child checks inside which /bin/sh it would skip.
void PreparePlain(const LinuxSandbox& sandbox, Program& program);
void SetReportPipe(int reader, int writer, Program& program);

// Copies the mounts that only the launcher's privileges allow to copy: those over file systems, and over
// directories below ones of other users. The actions borrow them. In engine.cc.
[[nodiscard]] Result<std::vector<UniqueFd>> CloneAhead(Program& program);

// The mount half of Prepare, in engine_tree.cc.
[[nodiscard]] Status PrepareMounts(const LinuxSandbox& sandbox, Program& program);

}  // namespace mxc::engine
