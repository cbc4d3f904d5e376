// A LinuxSandbox made ready to run: everything the child will need stands here as plain arrays, because
// between clone3 and execve nothing may allocate.
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

// One action on the new root. A target that stands in a tmpfs of ours is made there, relative to a descriptor
// of that very tmpfs; a target that stands in a bind mount must exist, and is looked up without following a
// link. So nothing is ever made on the host.
struct MountAction {
  enum class Kind { kBind, kPin, kTmpfs, kMask, kProc, kDev, kDirectory, kSymlink, kFile };

  Kind kind = Kind::kDirectory;
  std::string target = {};  // absolute, for messages
  int base = 0;             // slot of the tmpfs it stands in; kInBind
  std::string path = {};  // relative to `base`, or to the root when it stands in a bind mount; "" is the root
  int slot = -1;          // where the descriptor of this tmpfs is kept for what stands in it; -1: not kept

  std::string source = {};  // kBind; the text of kSymlink and kFile
  bool writable = false;
  bool unmapped_owners = false;
  int tree = -1;         // the mounts, where only the launcher can copy them (CloneAhead); borrowed
  bool outer = false;    // kProc: the outer one
  bool checked = false;  // `device` and `inode` are what the source must be
  bool covers_self =
      false;  // ... and also what the target must be: a policy path bound over itself, or masked
  bool placeholder = false;  // kMask: the target must be an empty file of kPlaceholderMode
  bool look_alike = false;   // the target may be gone, or another that looks like a placeholder
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool read_only = false;  // kTmpfs, kProc, kDev
  std::uint32_t mode = 0755;
  std::string mode_text = {};  // kTmpfs: options of the file system
  std::string size_text = {};
};
inline constexpr int kInBind = -1;

inline constexpr const char* kShell = "/bin/sh";  // of a command line

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
  bool own_tmp = false;     // /tmp is a tmpfs of the sandbox's
  bool outer_proc = false;  // Landlock grants each mount, not the root: /proc shows processes outside

  // Without namespaces: the processes are held together by init, and by these rules.
  bool supervised = false;
  bool scoped = false;  // Landlock keeps signals inside; else a filter keeps them from ...
  int launcher = -1;    // ... this process and its group
  int launcher_group = -1;
  LandlockRules landlock = {};            // made by the launcher; borrowed
  std::string temp = {};                  // made by init, removed at its end; empty: none
  std::vector<MakeFile> home_files = {};  // in the private HOME there, by their names

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
  std::string terminal_path = {};                           // its name on the host
  int discard_sender = -1, discard_queue = -1;              // of a Discard; borrowed; -1: there is none
  int report = -1;                                          // writing end; borrowed
  int report_reader = -1;                                   // the launcher's end
  std::vector<std::pair<unsigned, unsigned>> surplus = {};  // descriptors to close, as ranges

  int watch_socket = -1;  // borrowed; -1: the command's calls are not watched
  bool watch_files = false;
  int session = -1;  // borrowed: our end of the daemon's socket, for a persistent sandbox; -1: one command

  Executable command = {};
  Executable plain = {};  // what the shell in `command` would only execute; no arguments: it has more to do
  std::vector<std::string> variables = {};
  std::vector<char*> envp = {};  // into `variables`
  std::string cwd = {};
  bool background = false;
};

// What is executed, as the kernel takes it: lists of texts that end with nullptr.
struct ExecutableView {
  char* const* paths = nullptr;  // the first that can be executed
  char* const* argv = nullptr;
};
struct Command {
  ExecutableView program = {};
  ExecutableView plain = {};  // empty lists: none
  char* const* envp = nullptr;
  const char* cwd = nullptr;
  int controlling_terminal = -1;
  std::array<int, 3> standard = {-1, -1, -1};  // its streams, where they are not connected yet
  bool background = false;                     // SessionRequest::background
  int watch_socket = -1;
  bool watch_files = false;
};
[[nodiscard]] Command CommandOf(const Program& program);  // borrows from it

// One line of a user namespace map: the caller, as itself.
[[nodiscard]] std::string IdentityLine(unsigned id);

// Program::command, plain and envp point into the texts of the same object.
void SetPointers(Program& program);

// Fills everything but the pipe. Errors: kInternal for a mount tree that does not hang together.
[[nodiscard]] Status Prepare(const SandboxRequest& request, Program& program);
// The same without namespaces; `program.landlock` is left to the caller. In engine_supervised.cc.
[[nodiscard]] Status Prepare(const LandlockRequest& request, Program& program);
// What both have: the command, its environment and its streams.
struct CommandParts {
  const std::vector<std::string>& argv;
  const std::vector<Variable>& environment;
  const std::string& cwd;
  const ProcessLimits& limits;
};
void PrepareCommand(const CommandParts& parts, const Streams& streams, const Groups& groups,
                    Program& program);
// Program::plain, for a sandbox with a root of its own: inside one can see which shell one does without.
void PreparePlain(const LinuxSandbox& sandbox, Program& program);
void SetReportPipe(int reader, int writer, Program& program);

// Copies the mounts that take the launcher's privileges: over file systems, and over directories on the way
// that belong to others. The actions borrow them. In engine.cc.
[[nodiscard]] Result<std::vector<UniqueFd>> CloneAhead(Program& program);

// The mount half of Prepare, in engine_tree.cc.
[[nodiscard]] Status PrepareMounts(const LinuxSandbox& sandbox, Program& program);

}  // namespace mxc::engine
