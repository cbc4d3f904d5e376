// A Linux sandbox as data. backends/linux lowers a Policy to this value; the engines render it: bubblewrap as
// arguments, our own engine as system calls, LXC as a configuration. A difference between them is a bug.
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

// Binds `source` (recursively) at `target`, nosuid and nodev. The source must be `object`.
struct BindMount {
  std::string source = {};
  std::string target = {};
  Access access = Access::kReadOnly;  // never kDenied
  // Absent: not checked, only for paths that no ordinary user can replace.
  std::optional<FileObject> object = {};
  // Bound onto itself, so that it is a mount point and cannot be renamed. Its object is not known, so it is
  // opened without following links.
  bool pin = false;
  bool unmapped_owners = false;          // see PathRule; only our own engine, not in a container
  FileType type = FileType::kDirectory;  // of a pin: a directory, or the regular file of a placeholder
};

// A tmpfs. `read_only` takes effect after everything below it has been mounted.
struct TmpfsMount {
  std::string target = {};
  std::uint64_t size_bytes = 0;
  std::uint32_t mode = 0755;
  bool read_only = false;
  std::optional<FileObject> object = {};  // of the denied directory that it masks
  bool look_alike = false;  // `object` may be another run's placeholder, which may disappear or be replaced
};

// Masks an existing file: opening it fails with EACCES.
struct FileMask {
  std::string target = {};
  std::optional<FileObject> object = {};  // of the masked file; absent for files of /proc
  bool placeholder = false;               // it masks a placeholder, created just before
  bool look_alike = false;                // see TmpfsMount
};

struct ProcMount {
  std::string target = {};
  // For a root caller: uid 0 needs no capability to write the machine's settings in files that it owns.
  bool read_only = false;
  // Binds the outer /proc, because the kernel refuses a new one where parts of the outer are overmounted. Our
  // engine only; Landlock then denies all files of processes.
  bool outer = false;
};

// A minimal /dev: null zero full random urandom tty and a private devpts, without hardware.
struct DevMount {
  std::string target = {};
  bool read_only = true;  // the directory itself, after everything below it has been mounted
};

struct MakeDirectory {
  std::string target = {};
  std::uint32_t mode = 0755;
};

struct MakeSymlink {
  std::string target = {};  // path of the link
  std::string text = {};    // where it leads
};

// A file of the command's own, in a tmpfs of the sandbox.
struct MakeFile {
  std::string target = {};
  std::string text = {};
};

using MountNode =
    std::variant<BindMount, TmpfsMount, FileMask, ProcMount, DevMount, MakeDirectory, MakeSymlink, MakeFile>;

// ---- seccomp ---------------------------------------------------------------------------------------------

// A filter compiled at build time (src/seccomp/seccomp_rules.h).
enum class SeccompProfile {
  kDefault,     // the deny list for an ordinary caller; denies set-uid bits
  kRootCaller,  // the same, and denies set-gid bits: the files are root's on the host
  // Loaded after one of the above if there are no namespaces:
  kSharedSystem,  // denies Unix sockets, System V objects and queues, limits of other processes
  kNoSockets,     // denies all sockets
};

// ---- limits ----------------------------------------------------------------------------------------------

// No core dump at all. If core_pattern names a program, the kernel ignores a limit of 0 and gives that
// program the memory of the crashed process; a limit of 1 prevents that, too (fs/coredump.c).
inline constexpr std::uint64_t kNoCore = 1;

// rlimits, soft and hard alike. A lower hard limit of the caller's stays. Absent: the caller's.
struct ProcessLimits {
  std::uint64_t core_bytes = kNoCore;
  std::optional<std::uint64_t> open_files = {};
  std::optional<std::uint64_t> file_bytes = {};
  // Tasks of the caller in the sandbox's user namespace, with its init: set inside that namespace, which has
  // its own count since Linux 5.14.
  std::optional<std::uint64_t> tasks = {};
};

struct LinuxSandbox {
  std::vector<MountNode> mounts = {};
  bool root_read_only = true;  // the tmpfs at / itself, after all mounts
  Workspace workspace = {};    // translates mount targets to host paths

  // user, mount, pid, ipc, uts and cgroup namespaces are always new.
  bool private_network = true;         // an empty network namespace with `lo`; false shares the host's
  bool gateway = false;                // with Plan::egress: all traffic of that namespace goes to the gateway
  std::string hostname = "localhost";  // because every system resolves it
  SeccompProfile seccomp = SeccompProfile::kDefault;
  bool new_session = true;  // false: it gets a private terminal as controlling terminal
  ProcessLimits limits = {};

  // Process 1 accepts commands from a daemon instead of running `argv`; `environment` and `cwd` are their
  // defaults.
  bool stays = false;
  std::vector<std::string> argv = {};
  std::vector<Variable> environment = {};
  std::string cwd = {};
};

}  // namespace mxc
