#include "engine/supervised.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>

#include "base/remove_tree.h"
#include "base/runtime_directory.h"
#include "engine/landlock_rules.h"
#include "engine/run_temp.h"
#include "engine/signal_guard.h"
#include "mxc/sandbox/private_home.h"
#include "seccomp/seccomp.h"

namespace mxc::engine {
namespace {

constexpr const char* kChildren = "/proc/thread-self/children";

// ---- in the launcher -------------------------------------------------------------------------------------

bool IsAtOrBelow(std::string_view path, std::string_view above) {
  return path.starts_with(above) && (path.size() == above.size() || path[above.size()] == '/');
}

bool IsGranted(const LandlockSandbox& sandbox, std::string_view path) {
  return std::any_of(sandbox.grants.begin(), sandbox.grants.end(),
                     [&](const LandlockGrant& grant) { return IsAtOrBelow(path, grant.path); });
}

Result<std::string> ChooseTemp(const LandlockSandbox& sandbox) {
  const Result<RuntimeDirectory> place = RuntimeDirectory::OpenTempPlace(sandbox.temp_place);
  if (!place) return place.error();
  SweepRunTemps(*place);
  return ChooseRunTemp(*place);
}

// Without Landlock's scoped signals init needs /proc to find the processes that it has to end.
Status ChildrenShow() {
  if (CheckChildrenShow() == 0) return Done{};
  return Unavailable(std::string("nothing holds the processes of a command together here: '") + kChildren +
                         "' cannot be read, and Landlock of this kernel does not scope signals (ABI 6)",
                     {}, "use Linux 6.12 or later, or leave the sandbox around this one");
}

constexpr std::string_view kTemp = "/tmp";
constexpr std::string_view kHome = "/home";  // in the directory for temporary files

// The path in `temp` for a path in the private /tmp or the private home. A grant below /tmp is the host's.
std::string Moved(const std::string& path, const LandlockSandbox& sandbox, const std::string& temp) {
  if (IsAtOrBelow(path, kHomeInSharedMemory))
    return temp + std::string(kHome) + path.substr(kHomeInSharedMemory.size());
  if (!sandbox.private_temp || IsGranted(sandbox, path) || !IsAtOrBelow(path, kTemp)) return path;
  return temp + path.substr(kTemp.size());
}

std::vector<Variable> MovedEnvironment(const LandlockSandbox& sandbox, const std::string& temp) {
  std::vector<Variable> moved;
  bool named = !sandbox.private_temp;
  for (const Variable& variable : sandbox.environment) {
    moved.push_back({.name = variable.name, .value = Secret{Moved(variable.value.Reveal(), sandbox, temp)}});
    named = named || variable.name == "TMPDIR";
  }
  if (!named) moved.push_back({.name = "TMPDIR", .value = Secret{temp}});
  return moved;
}

// ---- in the child ----------------------------------------------------------------------------------------

// Leaves out a file that cannot be written: the command may be there to clear a full disk.
void FillHome(const Child& child, int temp) {
  const int home = child.Check(
      ::openat(temp, kHome.data() + 1, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), Step::kTemp);
  for (const MakeFile& file : child.program.home_files) {
    if (!MakeTextFile(home, file.target.c_str(), file.text)) ::unlinkat(home, file.target.c_str(), 0);
  }
  ::close(home);
}

void MakeTemp(Child& child) {
  const std::string& temp = child.program.temp;
  if (temp.empty()) return;
  const int directory = child.Check(MakeRunTemp(temp.c_str()), Step::kTemp);
  child.temp = directory;
  child.Check(::mkdirat(directory, kHome.data() + 1, 0700), Step::kTemp);
  FillHome(child, directory);
  child.Check(Allow(child.landlock, directory, Grant::kWriteTree), Step::kLandlock);
}

template <class Visit>
void ForEachChild(const Visit& visit) {
  constexpr int kMostReads = 64;  // the list grows while it is read
  std::array<char, 4096> text{};
  const int file = ::open(kChildren, O_RDONLY | O_CLOEXEC);
  std::size_t kept = 0;
  for (int reads = 0; file >= 0 && reads < kMostReads; ++reads) {
    const ssize_t count = ::read(file, text.data() + kept, text.size() - kept);
    if (count <= 0) break;
    const char* at = text.data();
    const char* const end = at + kept + count;
    while (at < end) {
      pid_t process = 0;
      const auto [next, error] = std::from_chars(at, end, process);
      // A number that is cut off is completed by the next read.
      if (error != std::errc() || next == end) break;
      visit(process);
      at = next + 1;
    }
    kept = static_cast<std::size_t>(end - at);
    std::copy(at, end, text.data());
  }
  if (file >= 0) ::close(file);
}

ProcessName ProcessNameOf(pid_t process) {
  std::array<char, 32> path{"/proc/"};
  constexpr std::string_view kComm = "/comm";
  constexpr std::size_t kNumber = 6;  // where it stands
  char* const end =
      std::to_chars(path.data() + kNumber, path.data() + path.size() - kComm.size(), process).ptr;
  std::copy(kComm.begin(), kComm.end(), end);
  ProcessName name{};
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  const ssize_t size = file >= 0 ? ::read(file, name.data(), name.size()) : 0;
  if (file >= 0) ::close(file);
  if (size <= 0 || name[0] == '\n') return {'?'};
  name.at(static_cast<std::size_t>(size) - 1) = '\0';  // the end of the line
  return name;
}

}  // namespace

int CheckChildrenShow() {
  const int file = ::open(kChildren, O_RDONLY | O_CLOEXEC);
  if (file >= 0) ::close(file);
  return file < 0 ? -1 : 0;
}

// Without scoped signals init kills its children, one generation after the other: orphans become its
// children.
bool KillChildren(std::span<const pid_t> spared) {
  bool found = false;
  ForEachChild([&](pid_t process) {
    if (std::find(spared.begin(), spared.end(), process) != spared.end()) return;
    ::kill(process, SIGKILL);
    found = true;
  });
  return found;
}

ProcessName LeftIn(pid_t session) {
  constexpr int kMoment = 30;  // ms: what reads a pipe of the command's to its end is about to go
  for (int round = 0;; ++round) {
    for (int count = 0; count < kMostReaped; ++count) {
      if (::waitpid(-1, nullptr, WNOHANG) <= 0) break;
    }
    siginfo_t info{};
    if (::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return {};
    pid_t left = 0;
    ForEachChild([&](pid_t process) {
      if (left == 0 && ::getsid(process) == session) left = process;
    });
    if (left == 0) return {};
    if (round == kMoment) return ProcessNameOf(left);
    ::poll(nullptr, 0, 1);
  }
}

Status Prepare(const LandlockRequest& request, Program& program) {
  const LandlockSandbox& sandbox = request.sandbox;
  if (sandbox.argv.empty())
    return Error{.code = ErrorCode::kInternal, .message = "a sandbox without a command"};
  program.supervised = true;
  program.scoped = sandbox.scoped_signals;
  program.launcher = ::getpid();
  program.launcher_group = ::getpgrp();
  program.filters = {SeccompProgram(sandbox.seccomp), SeccompProgram(SeccompProfile::kSharedSystem)};
  if (sandbox.no_network) program.filters.push_back(SeccompProgram(SeccompProfile::kNoSockets));
  if (!program.scoped) {
    if (Status shown = ChildrenShow(); !shown) return shown.error();
  }
  Result<std::string> temp = ChooseTemp(sandbox);
  if (!temp) return temp.error();
  program.temp = std::move(*temp);
  program.home_files = sandbox.home_files;
  PrepareCommand({.argv = sandbox.argv,
                  .environment = MovedEnvironment(sandbox, program.temp),
                  .cwd = Moved(sandbox.cwd, sandbox, program.temp),
                  .limits = sandbox.limits},
                 request.streams, request.groups, program);
  return Done{};
}

void BeginSupervision(Child& child) {
  child.Check(::prctl(PR_SET_CHILD_SUBREAPER, 1UL), Step::kSupervise);
  child.Check(::prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL), Step::kPrivileges);
  MakeTemp(child);
}

// kill(-1) must reach only processes of the sandbox. Tested once, on the launcher, which has the same user.
void KeepSignalsInside(Child& child) {
  if (!child.program.scoped) return;
  child.Check(ScopeSignals(), Step::kSupervise);
  if (::kill(::getppid(), 0) == 0) {
    errno = ENOTSUP;
    child.Fail(Step::kSupervise);
  }
  child.signals_inside = true;
}

void ConfineCommand(const Child& child) {
  child.Check(Restrict(child.landlock), Step::kLandlock);
  LoadFilters(child);
  const Program& program = child.program;
  if (!program.scoped) GuardSignals(child, ::getppid(), program.launcher, program.launcher_group);
}

void EndSupervision(const Child& child) {
  constexpr int kGenerations = 16;
  constexpr int kMostAtOnce = 4096;
  siginfo_t info{};
  // Most commands leave no processes: then /proc need not be searched.
  for (int round = 0; ::waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
       ++round) {
    // From here on orphans of processes that fork faster than they are killed go to init, not to this
    // process.
    if (child.session && round == kGenerations) ::prctl(PR_SET_CHILD_SUBREAPER, 0UL);
    child.signals_inside ? static_cast<void>(::kill(-1, SIGKILL)) : static_cast<void>(KillChildren());
    ::waitpid(-1, nullptr, 0);
    // Reaps before the next signal, whose cost grows with the number of processes, zombies included.
    for (int count = 0; count < kMostAtOnce; ++count) {
      if (::waitpid(-1, nullptr, WNOHANG) <= 0) break;
    }
  }
  if (child.temp >= 0) RemoveTree(child.program.temp.c_str());
}

}  // namespace mxc::engine
