#include "engine/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <optional>
#include <string>
#include <string_view>

#include "base/group_entrance.h"
#include "engine/container_order.h"
#include "engine/hide_arguments.h"
#include "engine/network_namespace.h"
#include "engine/supervised.h"

namespace mxc::engine {
namespace {

// SIGKILL of the launcher ends init, and with it everything inside. It may have died before this line, and
// then no signal comes; but then nobody holds the reading end of our pipe either.
void TieToLauncher(const Child& child) {
  ::close(child.program.report_reader);
  // Where no namespace dies with init, it first has to end what it holds.
  child.Check(::prctl(PR_SET_PDEATHSIG, child.program.supervised ? SIGTERM : SIGKILL), Step::kTie);
  pollfd report{.fd = child.program.report, .events = 0, .revents = 0};
  if (::poll(&report, 1, 0) == 1 && (report.revents & POLLERR) != 0) ::_exit(255);
}

// From here on all that the sandbox uses is counted. A new cgroup namespace then shows this place as its
// root.
void EnterGroups(const Child& child) {
  for (const int entrance : child.program.group_entrances) {
    if (!EnterGroup(entrance)) child.Fail(Step::kEnterGroup);
  }
  if (!child.program.InGroup() || child.program.supervised) return;
  child.Check(::unshare(CLONE_NEWCGROUP), Step::kEnterGroup);
}

void WriteMap(const Child& child, int own, const char* file, std::string_view text) {
  const int fd = child.Check(::openat(own, file, O_WRONLY | O_CLOEXEC), Step::kMapIdentity);
  child.Check(::write(fd, text.data(), text.size()), Step::kMapIdentity);
  ::close(fd);
}

// Our own directory of /proc, for as long as it is open: whatever root directory we have by then.
int OpenOwnDirectory(const Child& child) {
  return child.Check(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC), Step::kMapIdentity);
}

// The caller stays who it is. Without setgroups nobody inside can give up a group that denies access.
// A process that is not dumpable may not write its own maps. Afterwards init never is: its memory is a copy
// of the launcher's. The command gets an ordinary memory of its own with execve.
void MapIdentity(const Child& child, int own) {
  child.Check(::prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL), Step::kPrivileges);
  WriteMap(child, own, "setgroups", "deny");
  WriteMap(child, own, "uid_map", child.program.uid_map);
  WriteMap(child, own, "gid_map", child.program.gid_map);
  child.Check(::prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL), Step::kPrivileges);
}

// The namespace is our own, so what refuses a name is the seccomp profile of a container around us (Podman's
// and Docker's do, for everyone without CAP_SYS_ADMIN out there). The command then sees that container's
// name.
void SetNames(const Child& child) {
  const auto set = [&child](int result) {
    if (result != 0 && errno != EPERM) child.Fail(Step::kHostname);
  };
  const std::string& name = child.program.hostname;
  set(::sethostname(name.data(), name.size()));
  constexpr std::string_view kNoDomain = "(none)";  // as the kernel says it
  set(::setdomainname(kNoDomain.data(), kNoDomain.size()));
}

// Nothing inside has the caller's terminal: /dev/tty does not open, and no input can be pushed into it. Nor
// is anything in the caller's session: what a process writes to its autogroup in /proc is the weight of its
// whole session on the processors (sched(7)).
void LeaveSession(const Child& child) {
  if (::getsid(0) != ::getpid()) child.Check(::setsid(), Step::kSession);  // a container's init leads one
}

// Our memory is a copy of the launcher's, made page by page as we write. While it is in use on another
// processor too, each such page interrupts that one; so those that are known to be written come before.
void CopyPages(Child& child) {
  errno = 0;
  if (!child.slots.empty()) child.slots.front() = -1;
}

void BuildNamespaces(Child& child, NetworkAhead& network) {
  SetUpGateway(child);
  SetNames(child);
  const mode_t mask = ::umask(0);  // modes of the mount tree are meant literally
  BuildRoot(child);
  EnterRoot(child);
  network.Join(child);
  ::umask(mask);
  AwaitGatewayStart(child);
}

// Whoever made this container: what is claimed of it is looked at. A namespace that the policy shares is not.
void CheckNamespaces(const Child& child, const ContainerOrder& order) {
  for (std::size_t i = 0; i < kOwnNamespaces.size(); ++i) {
    const std::string_view name = kOwnNamespaces.at(i);
    // With control groups of its own the container has just made this one itself.
    if (name == "net" && !child.program.private_network) continue;
    const std::optional<NamespaceId> own = OwnNamespace(name.data());
    const NamespaceId& outside = order.outside.at(i);
    if (own && (own->inode != outside.inode || own->device != outside.device)) continue;
    errno = EEXIST;
    child.Fail(Step::kContainer);
  }
}

[[noreturn]] void Stay(const Child& child) {
  if (child.program.session >= 0) HoldSession(child);
  RunCommand(child);
  ::_exit(0);
}

// On standard error, where the launcher looks for the words of the tool that has started this process.
void Tell(const Error& error) {
  const std::string line = "mxc-exec: " + error.message + "\n";
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) > 0);
}

}  // namespace

// What the caller ignores would stay ignored across execve. The two or three that the C library keeps for
// itself refuse; nobody can have ignored those.
void ResetSignals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) ::sigaction(number, &action, nullptr);
}

// A descriptor can leave the sandbox, through a socket in a directory that another sandbox sees too. When a
// mount namespace ends, the kernel takes its mounts off each other, and such a descriptor would then show
// what masks and read-only mounts covered. Mounts that a namespace got as a copy from another user namespace
// are locked together, and stay so (mount_namespaces(7)). The command's user namespace owns no other
// namespace either.
void LockMounts(Child& child, int own) {
  child.Check(::unshare(CLONE_NEWUSER | CLONE_NEWNS), Step::kLockMounts);
  MapIdentity(child, own);
  if (child.mounts >= 0) child.locked_mounts = ::openat(own, "ns/mnt", O_RDONLY | O_CLOEXEC);
}

void Child::Send(const Report& report) const {
  if (report_to < 0) return Tell(StepError(report, program));
  // One record is far below PIPE_BUF: it arrives whole or not at all.
  if (::write(report_to, &report, sizeof report) != sizeof report) Leave(255);
}

// The command's process, which shares our memory until execve, holds nothing.
void Child::Leave(int status) const {
  if (adopts && ::getpid() == init) EndSupervision(*this);
  ::_exit(status);
}

bool Child::LauncherIsGone() const {
  pollfd other{.fd = report_to, .events = 0, .revents = 0};
  return ::poll(&other, 1, 0) == 1;
}

void Child::Fail(Step step) const {
  Send({.event = Event::kFailed, .step = step, .number = errno, .node = node});
  Leave(255);
}

void ChildMain(Child& child) {
  child.init = ::getpid();
  TieToLauncher(child);
  EnterGroups(child);
  // Everybody inside may read /proc/1/cmdline, and that would be the launcher's.
  HideArguments("mxc-init");
  CopyPages(child);
  NetworkAhead network;
  const bool supervised = child.program.supervised;
  int own = -1;
  if (!supervised) {
    network.Begin(child);
    own = OpenOwnDirectory(child);
    if (child.program.discard_sender >= 0) {
      child.mounts = ::openat(own, "ns/mnt", O_RDONLY | O_CLOEXEC);
      if (child.program.gateway_handover >= 0) child.network = ::openat(own, "ns/net", O_RDONLY | O_CLOEXEC);
    }
    MapIdentity(child, own);
  }
  ResetSignals();
  LeaveSession(child);
  if (supervised) {
    BeginSupervision(child);
  } else {
    BuildNamespaces(child, network);
    LockMounts(child, own);
    ::close(own);
  }
  LockDown(child, network);
  Stay(child);
}

// The order of ChildMain, with capabilities in a user namespace of which the caller is root.
void ContainerMain(Child& child, const ContainerOrder& order) {
  child.init = ::getpid();
  TieToLauncher(child);
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  EnterGroups(child);
  CheckNamespaces(child, order);
  ResetSignals();
  HideArguments("mxc-init");
  LeaveSession(child);
  const int own = OpenOwnDirectory(child);
  // pivot_root refuses a root that hands its mounts on.
  child.Check(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), Step::kRoot);
  NetworkAhead network;
  BuildNamespaces(child, network);
  SealInit(child);
  LockMounts(child, own);
  ::close(own);
  LockDown(child, network);
  Stay(child);
}

}  // namespace mxc::engine
