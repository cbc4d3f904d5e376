// Builds the new root beside the old one, whose paths stay reachable until everything is mounted.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/kernel_calls.h"
#include "engine/child.h"
#include "mxc/plan.h"

namespace mxc::engine {
namespace {

constexpr unsigned kOrdinary = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
// noatime: reading a link updates its atime. On a read-only tmpfs the kernel cannot, and leaves the fast path
// lookup (RCU) for each path through such a link: /bin, /lib and /lib64 are links.
constexpr unsigned kSealedLater = MOUNT_ATTR_NOATIME;
constexpr const char* kRootBytes = "16777216";
constexpr const char* kDevBytes = "65536";

// A detached mount of a new file system; null options keep the kernel's default.
int NewFilesystem(const Child& child, const char* type, const char* mode, const char* size,
                  unsigned attributes) {
  const int context = child.Check(OpenFilesystem(type), Step::kTmpfs);
  if (mode != nullptr) child.Check(SetOption(context, "mode", mode), Step::kTmpfs);
  if (size != nullptr) child.Check(SetOption(context, "size", size), Step::kTmpfs);
  child.Check(CreateFilesystem(context), Step::kTmpfs);
  const int mount = child.Check(DetachedMount(context, attributes), Step::kTmpfs);
  ::close(context);
  return mount;
}

bool Is(const struct stat& status, const MountAction& action) {
  return status.st_dev == action.device && status.st_ino == action.inode;
}

// Creates a mount target in a tmpfs of ours: an empty directory or file.
void MakeTarget(const Child& child, const MountAction& action, bool directory) {
  const int base = child.slots[static_cast<std::size_t>(action.base)];
  const int made = directory ? ::mkdirat(base, action.path.c_str(), 0755)
                             : ::mknodat(base, action.path.c_str(), S_IFREG | 0444, 0);
  if (made != 0 && errno != EEXIST) child.Fail(Step::kMakeTarget);
}

// Opens an existing mount target in a bind mount.
int OpenTarget(const Child& child, const MountAction& action) {
  const int target = OpenReference(child.slots[0], action.path.c_str(), RESOLVE_BENEATH);
  return child.Check(target, Step::kOpenTarget);
}

bool IsPlaceholder(const struct stat& status) {
  return S_ISREG(status.st_mode) && status.st_size == 0 && (status.st_mode & 07777U) == kPlaceholderMode;
}

bool LooksLikePlaceholder(const struct stat& status) {
  return IsPlaceholder(status) ||
         (S_ISDIR(status.st_mode) && (status.st_mode & 07777U) == kPlaceholderDirectoryMode);
}

// Whether another run's placeholder has disappeared with that run. Nobody inside can create a new file on the
// read-only mount.
bool IsGone(const Child& child, const MountAction& action) {
  if (!action.look_alike || action.base != kInBind || action.slot >= 0) return false;
  const int target = OpenReference(child.slots[0], action.path.c_str(), RESOLVE_BENEATH);
  if (target < 0) return errno == ENOENT || errno == ENOTDIR;
  ::close(target);
  return false;
}

// Checks the target's identity: the name may lead to another object by now, and the mask would not hide the
// right one.
void CheckTarget(const Child& child, const MountAction& action, int target) {
  if (!action.covers_self && !action.placeholder) return;
  struct stat status {};
  child.Check(::fstat(target, &status), Step::kOpenTarget);
  if (action.placeholder ? IsPlaceholder(status) : Is(status, action)) return;
  if (action.look_alike && LooksLikePlaceholder(status)) return;
  errno = ESTALE;
  child.Fail(Step::kReplaced);
}

void AttachAt(const Child& child, const MountAction& action, int tree, bool directory) {
  if (action.base != kInBind) {
    MakeTarget(child, action, directory);
    const int base = child.slots[static_cast<std::size_t>(action.base)];
    child.Check(Attach(tree, base, action.path.c_str()), Step::kAttach);
    return;
  }
  const int target = OpenTarget(child, action);
  CheckTarget(child, action, target);
  child.Check(Attach(tree, target, ""), Step::kAttach);
  ::close(target);
}

void Keep(Child& child, const MountAction& action, int mount) {
  if (action.slot < 0) {
    ::close(mount);
  } else {
    child.slots[static_cast<std::size_t>(action.slot)] = mount;
  }
}

// ---- one function for each kind of action --------------------------------------------------------------

// A copy of the mounts at `source` with the attributes of a bind mount. Private propagation, because a later
// mount on the host would appear here without our attributes.
int CloneSource(const Child& child, const MountAction& action, int source) {
  const int tree = child.Check(CloneTree(source), Step::kCloneMounts);
  const unsigned attributes = action.writable ? kOrdinary : kOrdinary | MOUNT_ATTR_RDONLY;
  child.Check(AddAttributes(tree, attributes, kPrivate), Step::kProtectMounts);
  return tree;
}

// Whether it is a directory.
bool ExamineSource(const Child& child, const MountAction& action, int source) {
  struct stat status {};
  child.Check(::fstat(source, &status), Step::kOpenSource);
  if (action.checked && !Is(status, action)) {
    errno = ESTALE;
    child.Fail(Step::kReplaced);
  }
  return S_ISDIR(status.st_mode);
}

// Looks the source up once; the same descriptor is examined, copied and mounted.
int OpenSource(const Child& child, const MountAction& action, bool& directory) {
  const int source = child.Check(OpenReference(AT_FDCWD, action.source.c_str(), 0), Step::kOpenSource);
  directory = ExamineSource(child, action, source);
  const int tree = CloneSource(child, action, source);
  ::close(source);
  return tree;
}

// When a file is opened, Landlock also looks for the right to truncate it, from the file up to the root
// unless a rule on the way grants everything. On a read-only mount that right is worth nothing.
void AllowBound(const Child& child, const MountAction& action, int tree, bool directory) {
  Grant grant = directory ? Grant::kReadMounted : Grant::kReadFile;
  if (action.writable) grant = directory ? Grant::kWriteTree : Grant::kWriteFile;
  if (grant == Grant::kReadFile && !child.program.outer_proc) return;  // the rule of the root is enough
  child.Check(Allow(child.landlock, tree, grant), Step::kLandlock);
}

// Takes a copy of mounts that the launcher has made, because it has the privileges for it.
int TakeTree(const Child& child, const MountAction& action, bool& directory) {
  errno = EPERM;
  child.Check(action.tree, Step::kCloneMounts);
  directory = ExamineSource(child, action, action.tree);
  const unsigned attributes = action.writable ? kOrdinary : kOrdinary | MOUNT_ATTR_RDONLY;
  child.Check(AddAttributes(action.tree, attributes, kPrivate), Step::kProtectMounts);
  return action.tree;
}

void Bind(const Child& child, const MountAction& action) {
  bool directory = false;
  const bool ahead = action.unmapped_owners || action.tree >= 0;
  const int tree = ahead ? TakeTree(child, action, directory) : OpenSource(child, action, directory);
  AttachAt(child, action, tree, directory);
  AllowBound(child, action, tree, directory);
  ::close(tree);
}

// Binds a directory onto itself: a mount point cannot be renamed.
void Pin(const Child& child, const MountAction& action) {
  if (action.base != kInBind) return Bind(child, action);
  const int target = OpenTarget(child, action);
  CheckTarget(child, action, target);
  const int tree = CloneSource(child, action, target);
  child.Check(Attach(tree, target, ""), Step::kAttach);
  ::close(tree);
  ::close(target);
}

void Tmpfs(Child& child, const MountAction& action) {
  const bool sealed = action.read_only && action.slot < 0;
  const char* size = action.size_text.empty() ? nullptr : action.size_text.c_str();
  const int mount = NewFilesystem(child, "tmpfs", action.mode_text.c_str(), size,
                                  sealed ? kOrdinary | MOUNT_ATTR_RDONLY : kOrdinary);
  AttachAt(child, action, mount, true);
  if (child.program.outer_proc) child.Check(Allow(child.landlock, mount, Grant::kRead), Step::kLandlock);
  if (!action.read_only) child.Check(Allow(child.landlock, mount, Grant::kWriteTree), Step::kLandlock);
  Keep(child, action, mount);
}

// A device node on a nodev mount: opening it fails with EACCES, for its owner and for root.
int MakeMask(const Child& child, const MountAction& action) {
  const int source = child.Check(OpenReference(AT_FDCWD, "/dev/null", 0), Step::kDevice);
  struct stat status {};
  child.Check(::fstat(source, &status), Step::kDevice);
  if (!S_ISCHR(status.st_mode)) {
    errno = ENODEV;
    child.Fail(Step::kDevice);
  }
  const int tree = CloneSource(child, action, source);
  ::close(source);
  return tree;
}

// Later masks are copies of the first one and inherit its attributes.
void Mask(Child& child, const MountAction& action) {
  if (child.mask >= 0) {
    const int tree = child.Check(CloneTree(child.mask), Step::kCloneMounts);
    AttachAt(child, action, tree, false);
    ::close(tree);
    return;
  }
  child.mask = MakeMask(child, action);
  AttachAt(child, action, child.mask, false);
}

// Files of the outer /proc that may be opened: none of a process. Links can still be followed: /proc/self/fd
// leads to files that are open already.
void AllowKernelFiles(const Child& child, int proc) {
  constexpr const char* kFiles[] = {"cpuinfo", "filesystems", "loadavg", "meminfo",
                                    "stat",    "uptime",      "version", "vmstat"};
  for (const char* name : kFiles) {
    const int file = OpenReference(proc, name, RESOLVE_BENEATH);
    if (file < 0) continue;  // not in every container
    child.Check(Allow(child.landlock, file, Grant::kReadFile), Step::kLandlock);
    ::close(file);
  }
  const int settings = OpenReference(proc, "sys", RESOLVE_BENEATH);
  if (settings < 0) return;
  child.Check(Allow(child.landlock, settings, Grant::kRead), Step::kLandlock);
  ::close(settings);
}

void OuterProc(const Child& child, const MountAction& action) {
  const int source = child.Check(OpenReference(AT_FDCWD, "/proc", 0), Step::kProc);
  const int tree = child.Check(CloneTree(source), Step::kProc);
  ::close(source);
  child.Check(AddAttributes(tree, kOrdinary | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY, kPrivate), Step::kProc);
  AllowKernelFiles(child, tree);
  AttachAt(child, action, tree, true);
  ::close(tree);
}

void Proc(const Child& child, const MountAction& action) {
  if (action.outer) return OuterProc(child, action);
  const int context = child.Check(OpenFilesystem("proc"), Step::kProc);
  child.Check(CreateFilesystem(context), Step::kProc);
  const unsigned attributes = kOrdinary | MOUNT_ATTR_NOEXEC | (action.read_only ? MOUNT_ATTR_RDONLY : 0U);
  const int mount = child.Check(DetachedMount(context, attributes), Step::kProc);
  ::close(context);
  AttachAt(child, action, mount, true);
  if (!action.read_only) child.Check(Allow(child.landlock, mount, Grant::kWriteDevices), Step::kLandlock);
  ::close(mount);
}

void Dev(Child& child, const MountAction& action) {
  const int mount =
      NewFilesystem(child, "tmpfs", "0755", kDevBytes, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | kSealedLater);
  AttachAt(child, action, mount, true);
  FillDevices(child, mount);
  const Grant grant = action.read_only ? Grant::kWriteDevices : Grant::kWriteTree;
  child.Check(Allow(child.landlock, mount, grant), Step::kLandlock);
  Keep(child, action, mount);
}

void Directory(const Child& child, const MountAction& action) {
  if (action.base == kInBind) {
    ::close(OpenTarget(child, action));
    return;
  }
  const int base = child.slots[static_cast<std::size_t>(action.base)];
  if (::mkdirat(base, action.path.c_str(), action.mode) != 0 && errno != EEXIST)
    child.Fail(Step::kMakeTarget);
}

void Symlink(const Child& child, const MountAction& action) {
  const int base = child.slots[static_cast<std::size_t>(action.base)];
  child.Check(::symlinkat(action.source.c_str(), base, action.path.c_str()), Step::kLink);
}

void File(const Child& child, const MountAction& action) {
  const int base = child.slots[static_cast<std::size_t>(action.base)];
  if (!MakeTextFile(base, action.path.c_str(), action.source)) child.Fail(Step::kMakeTarget);
}

void Perform(Child& child, const MountAction& action) {
  if (IsGone(child, action)) return;
  switch (action.kind) {
    case MountAction::Kind::kBind:
      return Bind(child, action);
    case MountAction::Kind::kPin:
      return Pin(child, action);
    case MountAction::Kind::kTmpfs:
      return Tmpfs(child, action);
    case MountAction::Kind::kMask:
      return Mask(child, action);
    case MountAction::Kind::kProc:
      return Proc(child, action);
    case MountAction::Kind::kDev:
      return Dev(child, action);
    case MountAction::Kind::kDirectory:
      return Directory(child, action);
    case MountAction::Kind::kSymlink:
      return Symlink(child, action);
    case MountAction::Kind::kFile:
      return File(child, action);
  }
}

void SealOne(const Child& child, int mount) {
  mount_attr change{};
  change.attr_set = MOUNT_ATTR_RDONLY;
  child.Check(::syscall(SYS_mount_setattr, mount, "", kEmptyPath, &change, sizeof change), Step::kSeal);
}

// Makes tmpfs mounts read-only last, because nothing can be created in them afterwards.
void Seal(Child& child) {
  for (const MountAction& action : child.program.mounts) {
    ++child.node;
    if (action.read_only && action.slot >= 0)
      SealOne(child, child.slots[static_cast<std::size_t>(action.slot)]);
  }
  child.node = -1;
  if (child.program.root_read_only && !child.program.root_is_bind) SealOne(child, child.slots[0]);
}

int MakeRoot(Child& child) {
  const Program& program = child.program;
  if (!program.root_is_bind) {
    return NewFilesystem(child, "tmpfs", "0755", kRootBytes, kOrdinary | kSealedLater);
  }
  child.node = 0;
  bool directory = false;
  const int tree = OpenSource(child, program.mounts[0], directory);
  AllowBound(child, program.mounts[0], tree, directory);
  return tree;
}

}  // namespace

bool MakeTextFile(int directory, const char* name, std::string_view text) {
  // The caller's RLIMIT_FSIZE applies to this file, too, with SIGXFSZ.
  rlimit limit{};
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < text.size()) return true;
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const int file = ::openat(directory, name, kNew, 0600);
  if (file < 0) return false;
  const bool whole = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return whole;
}

// Mounts the new root over the old one. Absolute paths still start at the old one: a process keeps its root
// directory, whatever is mounted over it.
void BuildRoot(Child& child) {
  child.Check(BeginLandlock(child.landlock), Step::kLandlock);
  const int root = MakeRoot(child);
  child.slots[0] = root;
  child.Check(Attach(root, AT_FDCWD, "/"), Step::kRoot);
  // With the outer /proc in it, the root as a whole cannot be granted.
  const bool all = !child.program.outer_proc || child.program.root_is_bind;
  child.Check(Allow(child.landlock, root, all ? Grant::kRead : Grant::kList), Step::kLandlock);
  const bool writable_root = !child.program.root_is_bind && !child.program.root_read_only;
  if (writable_root) child.Check(Allow(child.landlock, root, Grant::kWriteTree), Step::kLandlock);
  child.node = -1;
  for (const MountAction& action : child.program.mounts) {
    ++child.node;
    if (action.target != "/") Perform(child, action);
  }
  child.node = -1;
  Seal(child);
  // The device nodes do not have private propagation yet.
  child.Check(AddAttributes(root, MOUNT_ATTR_NOSUID, kPrivate), Step::kProtectMounts);
}

void SealInit(const Child& child) {
  const int source = child.Check(OpenReference(AT_FDCWD, "/proc/1", 0), Step::kProc);
  const int tree = child.Check(CloneTree(source), Step::kProc);
  ::close(source);
  child.Check(AddAttributes(tree, kOrdinary | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY, kPrivate), Step::kProc);
  child.Check(Attach(tree, AT_FDCWD, "/proc/1"), Step::kProc);
  ::close(tree);
}

// Unmounts the whole host at once: each unmount waits for an RCU grace period, the slowest step of the
// set-up.
void EnterRoot(Child& child) {
  child.Check(::fchdir(child.slots[0]), Step::kPivot);
  child.Check(PivotRoot(".", "."), Step::kPivot);
  child.Check(DetachMount("."), Step::kForgetHost);
  child.Check(::chdir("/"), Step::kForgetHost);
}

}  // namespace mxc::engine
