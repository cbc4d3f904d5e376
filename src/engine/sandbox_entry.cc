#include "engine/sandbox_entry.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "base/kernel_calls.h"
#include "base/passed_fds.h"
#include "engine/child.h"
#include "engine/mounted_rules.h"
#include "seccomp/seccomp.h"

namespace mxc {
namespace {

constexpr int kUsage = 2;
constexpr int kNotFound = 127;  // as a shell says it
constexpr int kNotExecutable = 126;

std::string Contents(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return {};
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t size = ::pread(fd, text.data(), text.size(), 0);
  text.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return text;
}

// Each name and its value become one variable, in place.
std::vector<char*> Variables(std::string& text) {
  std::vector<char*> variables;
  for (std::size_t at = 0; at < text.size();) {
    variables.push_back(text.data() + at);
    const std::size_t name_end = text.find('\0', at);
    if (name_end == std::string::npos) break;
    text[name_end] = '=';
    const std::size_t value_end = text.find('\0', name_end);
    at = value_end == std::string::npos ? text.size() : value_end + 1;
  }
  variables.push_back(nullptr);
  return variables;
}

// The tool shares the group that it was started in, and signals sent to that are not for it. With a private
// terminal the group stays: in one of its own, whose parent is in the same session, the key that stops jobs
// would stop a command that nobody continues.
void LeaveGroupOfTool() {
  const int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) ::setpgid(0, 0);
  if (terminal >= 0) ::close(terminal);
}

}  // namespace

namespace engine {
namespace {

// To be made read-only when the sandbox has ended: without that no command is run.
void SendMounts(const Child& child) {
  const char byte = 0;
  const int mounts = child.Check(child.locked_mounts, Step::kLockMounts);
  child.Check(SendWithFds(child.program.discard_sender, &byte, 1, std::span(&mounts, 1)), Step::kLockMounts);
  ::close(mounts);
}

}  // namespace

int NumberIn(const char* text) {
  int number = -1;
  const char* const end = text + std::strlen(text);
  const auto [parsed, error] = std::from_chars(text, end, number);
  return error == std::errc() && parsed == end ? number : -1;
}

void FinishSandbox(int proc, SeccompProfile profile, int namespace_socket, int watch_socket) {
  Program program;
  program.uid_map = IdentityLine(::geteuid());
  program.gid_map = IdentityLine(::getegid());
  program.filters = {SeccompProgram(profile)};
  program.discard_sender = namespace_socket;
  std::vector<int> slots;
  Child child{.program = program, .slots = slots, .init = ::getpid()};
  const int own = child.Check(::openat(proc, "self", O_PATH | O_DIRECTORY | O_CLOEXEC), Step::kLockMounts);
  child.Check(BeginLandlock(child.landlock), Step::kLandlock);
  child.Check(AllowMounted(child.landlock, own), Step::kLandlock);
  child.Check(AllowStandardStreams(child.landlock), Step::kLandlock);
  LockMounts(child, own);
  SendMounts(child);
  ::close(own);
  DropCapabilities(child);
  child.Check(Restrict(child.landlock), Step::kLandlock);
  LoadFilters(child);
  child.command.watch_socket = watch_socket;
  WatchCalls(child);
}

}  // namespace engine

int RunSandboxEntry(std::span<char* const> arguments) {
  const int proc = engine::NumberIn(arguments[0]);
  const int profile = engine::NumberIn(arguments[1]);
  const int environment = engine::NumberIn(arguments[2]);
  const int namespace_socket = engine::NumberIn(arguments[3]);
  const int watch_socket = engine::NumberIn(arguments[4]);
  if (proc < 0 || environment < 0 || profile < 0 || profile > static_cast<int>(SeccompProfile::kRootCaller))
    return kUsage;
  std::string text = Contents(environment);
  const std::vector<char*> variables = Variables(text);
  engine::ResetSignals();
  engine::FinishSandbox(proc, static_cast<SeccompProfile>(profile), namespace_socket, watch_socket);
  CloseAllBut(3, std::array<int, 0>{});
  LeaveGroupOfTool();
  environ = const_cast<char**>(variables.data());  // NOLINT(cppcoreguidelines-pro-type-const-cast): its type
  char* const* const command = &arguments[5];
  ::execvp(command[0], command);
  const int number = errno;
  const std::string problem =
      std::string("mxc-exec: execute ") + command[0] + ": " + std::strerror(number) + "\n";
  static_cast<void>(::write(STDERR_FILENO, problem.data(), problem.size()) > 0);
  return number == ENOENT ? kNotFound : kNotExecutable;
}

}  // namespace mxc
