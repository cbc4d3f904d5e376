// A minimal /dev: six harmless nodes of the host, and a private devpts.
#include <sys/stat.h>

#include <cerrno>

#include "base/kernel_calls.h"
#include "engine/child.h"

namespace mxc::engine {
namespace {

struct Device {
  const char* name;
  const char* source;
};

// A user namespace may not create device nodes, so they are bound from the host.
constexpr Device kDevices[] = {{"null", "/dev/null"},     {"zero", "/dev/zero"},       {"full", "/dev/full"},
                               {"random", "/dev/random"}, {"urandom", "/dev/urandom"}, {"tty", "/dev/tty"}};

struct Link {
  const char* name;
  const char* text;
};
constexpr Link kLinks[] = {{"fd", "/proc/self/fd"},       {"stdin", "/proc/self/fd/0"},
                           {"stdout", "/proc/self/fd/1"}, {"stderr", "/proc/self/fd/2"},
                           {"ptmx", "pts/ptmx"},          {"core", "/proc/kcore"}};

void BindDevice(const Child& child, int dev, const Device& device) {
  const int source = OpenReference(AT_FDCWD, device.source, 0);
  if (source < 0 && errno == ENOENT) return;  // a container without /dev/tty, say
  child.Check(source, Step::kDevice);
  struct stat status {};
  child.Check(::fstat(source, &status), Step::kDevice);
  if (!S_ISCHR(status.st_mode)) {
    errno = ENODEV;
    child.Fail(Step::kDevice);
  }
  child.Check(::mknodat(dev, device.name, S_IFREG | 0666, 0), Step::kDevice);
  const int tree = child.Check(CloneTree(source), Step::kDevice);
  // Read-only keeps root from changing the mode of the host's own node; writing to the device is not
  // affected.
  child.Check(AddAttributes(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_RDONLY, kPrivate),
              Step::kDevice);
  child.Check(Attach(tree, dev, device.name), Step::kDevice);
  ::close(tree);
  ::close(source);
}

void MountTerminals(const Child& child, int dev) {
  child.Check(::mkdirat(dev, "pts", 0755), Step::kTerminals);
  const int context = child.Check(OpenFilesystem("devpts"), Step::kTerminals);
  child.Check(SetOption(context, "ptmxmode", "0666"), Step::kTerminals);
  child.Check(SetOption(context, "mode", "0620"), Step::kTerminals);
  // All sandboxes share what the machine has (kernel.pty.max, 4096 by default).
  child.Check(SetOption(context, "max", "256"), Step::kTerminals);
  child.Check(CreateFilesystem(context), Step::kTerminals);
  const int mount =
      child.Check(DetachedMount(context, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC), Step::kTerminals);
  child.Check(Attach(mount, dev, "pts"), Step::kTerminals);
  ::close(mount);
  ::close(context);
}

// POSIX message queues of the sandbox's own IPC namespace. The kernel's internal mount has the same root, so
// the Landlock rule for this mount also allows mq_open(3). Skipped if the kernel has none, or if a container
// around us refuses the mount.
void MountQueues(Child& child, int dev) {
  const int context = OpenFilesystem("mqueue");
  if (context < 0) return;
  if (CreateFilesystem(context) == 0) {
    child.Check(::mkdirat(dev, "mqueue", 0755), Step::kDevice);
    const int mount = child.Check(
        DetachedMount(context, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NODEV), Step::kDevice);
    child.Check(Attach(mount, dev, "mqueue"), Step::kDevice);
    child.Check(Allow(child.landlock, mount, Grant::kWriteTree), Step::kLandlock);
    ::close(mount);
  }
  ::close(context);
}

// The private terminal is in the host's devpts. ttyname(3) finds it under this name; skipped if the host's
// own name for it leads elsewhere.
void BindConsole(const Child& child, int dev) {
  if (child.program.controlling_terminal < 0) return;
  struct stat terminal {};
  struct stat named {};
  child.Check(::fstat(child.program.controlling_terminal, &terminal), Step::kTerminals);
  const int source = OpenReference(AT_FDCWD, child.program.terminal_path.c_str(), 0);
  if (source < 0) return;
  child.Check(::fstat(source, &named), Step::kTerminals);
  if (named.st_dev == terminal.st_dev && named.st_ino == terminal.st_ino) {
    child.Check(::mknodat(dev, "console", S_IFREG | 0600, 0), Step::kTerminals);
    const int tree = child.Check(CloneTree(source), Step::kTerminals);
    child.Check(AddAttributes(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, kPrivate), Step::kTerminals);
    child.Check(Attach(tree, dev, "console"), Step::kTerminals);
    ::close(tree);
  }
  ::close(source);
}

}  // namespace

void FillDevices(Child& child, int dev) {
  for (const Device& device : kDevices) BindDevice(child, dev, device);
  MountTerminals(child, dev);
  MountQueues(child, dev);
  BindConsole(child, dev);
  for (const Link& link : kLinks) child.Check(::symlinkat(link.text, dev, link.name), Step::kDevice);
  child.Check(::mkdirat(dev, "shm", 01777), Step::kDevice);
}

}  // namespace mxc::engine
