// A Linux sandbox as data. backends/linux lowers a Policy to this value; the engines render it: bubblewrap as
// arguments, the native engine as system calls, LXC as a configuration. A difference between them is a bug.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "mxc/file_object.h"
#include "mxc/sandbox/workspace.h"
#include "mxc/secret.h"

namespace mxc {

// ---- the mount tree: applied in order, into an empty root ------------------------------------------------

// Bind `source` (recursively) at `target`, nosuid and nodev. `object` is what the source must be.
struct BindMount {
  std::string source = {};
  std::string target = {};
  Access access = Access::kReadOnly;  // never kDenied
  // Absent: not checked, only for paths that no ordinary user can replace.
  std::optional<FileObject> object = {};
  // Bound onto itself, so that it is a mount point and cannot be renamed. Its object is not known: it is
  // opened without following a symlink anywhere on the way.
  bool pin = false;
  // Files have no owner here, so that root may do what others may. Our engine without a container only.
  bool unmapped_owners = false;
  FileType type = FileType::kDirectory;  // of a pin: a directory, or the regular file of a placeholder
};

// A tmpfs. `read_only` takes effect after everything below it has been mounted.
struct TmpfsMount {
  std::string target = {};
  std::uint64_t size_bytes = 0;
  std::uint32_t mode = 0755;
  bool read_only = false;
  std::optional<FileObject> object = {};  // over a denied directory: what it must cover
  bool look_alike = false;  // `object` may be another run's placeholder: gone by then, or another one
};

// Cover a file: opening it fails with EACCES. The target exists.
struct FileMask {
  std::string target = {};
  std::optional<FileObject> object = {};  // what it must cover; absent for files of /proc
  bool placeholder = false;               // the file that holds a missing name, made just before
  bool look_alike = false;                // as of TmpfsMount
};

struct ProcMount {
  std::string target = {};
  // For a root caller: uid 0 needs no capability to write the machine's settings through files it owns.
  bool read_only = false;
  // The outer /proc bound here, where the kernel refuses a new one because parts of the outer are covered.
  // Our engine only; Landlock leaves nothing of it readable that belongs to a process.
  bool outer = false;
};

// A minimal /dev: null zero full random urandom tty, a private devpts, nothing of the host's hardware.
struct DevMount {
  std::string target = {};
  bool read_only = true;  // the directory itself, after everything below it has been mounted
};

struct MakeDirectory {
  std::string target = {};
  std::uint32_t mode = 0755;
};

struct MakeSymlink {
  std::string target = {};  // where the link stands
  std::string text = {};    // what it says
};

// A file of the command's own, in a tmpfs of the sandbox.
struct MakeFile {
  std::string target = {};
  std::string text = {};
};

using MountNode =
    std::variant<BindMount, TmpfsMount, FileMask, ProcMount, DevMount, MakeDirectory, MakeSymlink, MakeFile>;

// ---- seccomp ---------------------------------------------------------------------------------------------

// Which of the filters compiled at build time (src/seccomp/seccomp_rules.h) is loaded.
enum class SeccompProfile {
  kDefault,     // the deny list for an ordinary caller; no set-uid bit can be set
  kRootCaller,  // the same, and no set-gid bit either: root's files stay root's on the host
  // Loaded behind one of the above where there are no namespaces:
  kSharedSystem,  // no Unix sockets, no System V objects and queues, no limits of other processes
  kNoSockets,     // no socket at all
};

// ---- limits ----------------------------------------------------------------------------------------------

// No core at all. The kernel ignores a limit of 0 when core_pattern names a program, which then gets the
// memory of whatever crashed; 1 is its way to say that not even this is wanted (fs/coredump.c).
inline constexpr std::uint64_t kNoCore = 1;

// Limits the kernel holds for each process (rlimits), soft and hard alike. A hard limit of the caller's that
// is lower stays. Absent: the caller's.
struct ProcessLimits {
  std::uint64_t core_bytes = kNoCore;
  std::optional<std::uint64_t> open_files = {};
  std::optional<std::uint64_t> file_bytes = {};
  // Tasks of the caller in the sandbox's user namespace, its init included: set inside of that namespace,
  // which counts on its own since Linux 5.14.
  std::optional<std::uint64_t> tasks = {};
};

struct LinuxSandbox {
  std::vector<MountNode> mounts = {};
  bool root_read_only = true;  // the tmpfs at / itself, once everything stands
  Workspace workspace = {};    // where what the mounts cover stands on the host

  // user, mount, pid, ipc, uts and cgroup namespaces are always new.
  bool private_network = true;  // an empty network namespace with `lo`; false shares the host's
  bool gateway = false;         // with Plan::egress: every way out of that namespace ends at the gateway
  std::string hostname = "localhost";  // every system resolves it
  SeccompProfile seccomp = SeccompProfile::kDefault;
  bool new_session = true;  // false: the launcher gives it a private terminal as controlling terminal
  ProcessLimits limits = {};

  // Process 1 takes commands in from a daemon instead of running `argv`; `environment` and `cwd` are what
  // they get by default.
  bool stays = false;
  std::vector<std::string> argv = {};
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

}  // namespace mxc
