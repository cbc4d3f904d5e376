#include "engine/child.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/group_entrance.h"
#include "engine/container_order.h"
#include "engine/hide_arguments.h"
#include "engine/namespace_discard.h"
#include "engine/network_namespace.h"
#include "engine/supervised.h"
#include "gateway/setup/inside.h"

namespace mxc::engine {
namespace {

// When the launcher dies, SIGKILL ends init, and with it everything inside. If the launcher died before this
// line, no signal comes; but then the reading end of our pipe is closed.
void TieToLauncher(const Child& child) {
  ::close(child.program.report_reader);
  // Without a pid namespace that dies with init, init must first end its processes.
  child.Check(::prctl(PR_SET_PDEATHSIG, child.program.supervised ? SIGTERM : SIGKILL), Step::kTie);
  pollfd report{.fd = child.program.report, .events = 0, .revents = 0};
  if (::poll(&report, 1, 0) == 1 && (report.revents & POLLERR) != 0) ::_exit(255);
}

// From here on the control group counts all that the sandbox uses. A new cgroup namespace then has this group
// as its root.
void EnterGroups(const Child& child) {
  for (const int entrance : child.program.group_entrances) {
    if (!EnterGroup(entrance)) child.Fail(Step::kEnterGroup);
  }
  if (!child.program.InGroup() || child.program.supervised) return;
  child.Check(::unshare(CLONE_NEWCGROUP), Step::kEnterGroup);
}

void ResetSignals(std::uint64_t mask) {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number)
    if ((mask >> (number - 1) & 1U) != 0) ::sigaction(number, &action, nullptr);
}

// The signals that are ignored or have a handler, as a mask; in doubt all. Nearly always two: asking costs
// less than setting every one.
std::uint64_t ChangedSignals(int own) {
  constexpr std::string_view kLines[] = {"\nSigIgn:\t", "\nSigCgt:\t"};
  constexpr std::size_t kDigits = 16;
  std::array<char, 4096> text{};  // proc_pid_status(5) writes about 1500 bytes
  const int file = ::openat(own, "status", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file >= 0 ? ::read(file, text.data(), text.size()) : 0;
  if (file >= 0) ::close(file);
  const std::string_view status{text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  std::uint64_t mask = 0;
  for (const std::string_view line : kLines) {
    const std::size_t at = status.find(line);
    const std::string_view digits =
        at == status.npos ? "" : status.substr(at + line.size()).substr(0, kDigits);
    std::uint64_t set = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), set, 16);
    if (digits.size() != kDigits || error != std::errc{} || end != digits.data() + kDigits)
      return ~std::uint64_t{0};
    mask |= set;
  }
  return mask;
}

void WriteMap(const Child& child, int own, const char* file, std::string_view text) {
  const int fd = child.Check(::openat(own, file, O_WRONLY | O_CLOEXEC), Step::kMapIdentity);
  child.Check(::write(fd, text.data(), text.size()), Step::kMapIdentity);
  ::close(fd);
}

// A descriptor of our own directory in /proc, which stays usable after pivot_root.
int OpenOwnDirectory(const Child& child) {
  return child.Check(::open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC), Step::kMapIdentity);
}

// The caller keeps its uid and gid. Denying setgroups keeps processes inside from dropping a group that
// denies access. A process that is not dumpable may not write its own maps, so init becomes undumpable
// afterwards, as its memory is a copy of the launcher's. The command gets new, dumpable memory with execve.
void MapIdentity(const Child& child, int own) {
  child.Check(::prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL), Step::kPrivileges);
  WriteMap(child, own, "setgroups", "deny");
  WriteMap(child, own, "uid_map", child.program.uid_map);
  WriteMap(child, own, "gid_map", child.program.gid_map);
  child.Check(::prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL), Step::kPrivileges);
}

// The namespace is our own, so only the seccomp profile of a container around us can refuse sethostname
// (Podman's and Docker's do without CAP_SYS_ADMIN in the container). The command then sees that container's
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

// A new session has no controlling terminal: /dev/tty does not open, and nothing inside can push input into
// the caller's. It also protects the caller's autogroup: a process that writes to its own in /proc sets the
// nice value of its whole session (sched(7)).
void LeaveSession(const Child& child) {
  if (::getsid(0) != ::getpid()) child.Check(::setsid(), Step::kSession);  // a container's init leads one
}

// Our memory is copied from the launcher's page by page on write. Once a second task uses it on another
// processor, each copy interrupts that one (TLB flush), so pages that will be written are written before.
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

// `own`: /proc/PID of the host. SetUpGateway has seen to a namespace with a gateway.
void AllowLowPorts(const Child& child, int own) {
  if (child.program.private_network && child.program.gateway_handover < 0)
    egress::AllowLowPorts(own, "../sys/net/ipv4/ip_unprivileged_port_start");
}

// Checks that the container has its own namespaces, except those that the policy shares.
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
  if (child.program.session >= 0) {
    PutNamespacesAway(child);
    HoldSession(child);
  }
  RunCommand(child);
  ::_exit(0);
}

// Writes to standard error, where the launcher reads the messages of the tool that has started this process.
void WriteError(const Error& error) {
  const std::string line = "mxc-exec: " + error.message + "\n";
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) > 0);
}

}  // namespace

// Signals that the caller ignores would stay ignored across execve. sigaction fails for the two or three that
// the C library reserves; the caller cannot have ignored those.
void ResetSignals() { ResetSignals(~std::uint64_t{0}); }

// A descriptor can leave the sandbox, through a socket in a directory that another sandbox sees, too. When a
// mount namespace ends, the kernel unmounts its mounts from each other, and such a descriptor would then show
// what masks and read-only mounts covered. Mounts copied into the mount namespace of another user namespace
// are locked together and stay so (mount_namespaces(7)). The command's user namespace owns no other
// namespace.
void LockMounts(Child& child, int own) {
  child.Check(::unshare(CLONE_NEWUSER | CLONE_NEWNS), Step::kLockMounts);
  MapIdentity(child, own);
  if (child.program.discard_sender >= 0) child.locked_mounts = ::openat(own, "ns/mnt", O_RDONLY | O_CLOEXEC);
}

void Child::Send(const Report& report) const {
  if (report_to < 0) return WriteError(StepError(report, program));
  // A record is smaller than PIPE_BUF, so it arrives whole or not at all.
  if (::write(report_to, &report, sizeof report) != sizeof report) Leave(255);
}

// The command's process, which shares our memory until execve, has no processes to end.
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
  // Everybody inside may read /proc/1/cmdline, which would show the launcher's arguments.
  HideArguments("mxc-init");
  CopyPages(child);
  NetworkAhead network;
  const bool supervised = child.program.supervised;
  int own = -1;
  if (!supervised) {
    network.Begin(child);
    own = OpenOwnDirectory(child);
    if (child.program.discard_sender >= 0 && child.program.session < 0) {
      child.mounts = ::openat(own, "ns/mnt", O_RDONLY | O_CLOEXEC);
      if (child.program.gateway_handover >= 0) child.network = ::openat(own, "ns/net", O_RDONLY | O_CLOEXEC);
    }
    MapIdentity(child, own);
  }
  ResetSignals(supervised ? ~std::uint64_t{0} : ChangedSignals(own));
  LeaveSession(child);
  if (supervised) {
    BeginSupervision(child);
  } else {
    BuildNamespaces(child, network);
    AllowLowPorts(child, own);
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
  // pivot_root refuses a root with shared propagation.
  child.Check(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), Step::kRoot);
  NetworkAhead network;
  BuildNamespaces(child, network);
  AllowLowPorts(child, own);
  SealInit(child);
  LockMounts(child, own);
  ::close(own);
  LockDown(child, network);
  Stay(child);
}

}  // namespace mxc::engine
