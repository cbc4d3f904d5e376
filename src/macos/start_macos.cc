#include <fcntl.h>
#include <mach-o/dyld.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/pipe.h"
#include "macos/child.h"
#include "macos/start.h"

namespace mxc {
namespace {

std::string PathOfThisProgram() {
  std::array<char, PATH_MAX> path{};
  std::uint32_t size = path.size();
  std::array<char, PATH_MAX> real{};
  if (::_NSGetExecutablePath(path.data(), &size) != 0) return {};
  return ::realpath(path.data(), real.data()) == nullptr ? std::string() : std::string(real.data());
}

// posix_spawn's two descriptions, freed at the end.
class Spawn {
 public:
  Spawn() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  Spawn(const Spawn&) = delete;
  Spawn& operator=(const Spawn&) = delete;
  ~Spawn() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  // Sources of 3 and 4 must be neither; see Raised().
  void Give(int source, int number) { ::posix_spawn_file_actions_adddup2(&actions_, source, number); }

  // 0, or an errno.
  int Run(const std::string& program, pid_t& process) {
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setflags(
        &attributes_, static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK |
                                         POSIX_SPAWN_CLOEXEC_DEFAULT));
    std::string name = "mxc-exec";
    std::string flag = kSeatbeltChildFlag;
    std::array<char*, 3> argv = {name.data(), flag.data(), nullptr};
    std::array<char*, 1> environment = {nullptr};
    return ::posix_spawn(&process, program.c_str(), &actions_, &attributes_, argv.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_ = nullptr;
  posix_spawnattr_t attributes_ = nullptr;
};

// A copy above the numbers that the child's own descriptors get.
UniqueFd Raised(int borrowed_fd) { return UniqueFd{::fcntl(borrowed_fd, F_DUPFD_CLOEXEC, 10)}; }

std::string ReadLine(int fd) {
  std::string text;
  std::array<char, 1024> buffer{};
  for (;;) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Error Changed(const SeatbeltPath& path, std::string why, std::string hint) {
  return Conflict("'" + path.path + "' " + std::move(why), {}, std::move(hint));
}

}  // namespace

Status VerifySeatbeltPaths(const std::vector<SeatbeltPath>& paths) {
  for (const SeatbeltPath& path : paths) {
    const UniqueFd file{::open(path.path.c_str(), O_EVTONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    struct stat status {};
    if (!file || ::fstat(file.Get(), &status) != 0) {
      // What the caller may not open the command may not open either; the rule goes by name.
      if (errno == EACCES || errno == EPERM) continue;
      return Changed(path, std::string("cannot be looked at: ") + std::strerror(errno), "run again");
    }
    const bool same = static_cast<std::uint64_t>(status.st_dev) == path.object.device &&
                      static_cast<std::uint64_t>(status.st_ino) == path.object.inode;
    if (!same) return Changed(path, "is not what it was when the policy was read", "run again");
    std::array<char, PATH_MAX> name{};
    if (::fcntl(file.Get(), F_GETPATH, name.data()) == 0 && path.path != name.data()) {
      return Changed(path, "is called '" + std::string(name.data()) + "' by the file system",
                     "write it so: rules go by that name");
    }
  }
  return Done{};
}

Result<pid_t> StartSeatbeltChild(const SeatbeltOrders& orders, const std::array<int, 3>& streams) {
  const std::string program = PathOfThisProgram();
  if (program.empty()) {
    return SetupFailed("the path of mxc-exec itself cannot be found out");
  }
  Result<Pipe> told = MakePipe();
  if (!told) return told.error();
  Result<Pipe> errors = MakePipe();
  if (!errors) return errors.error();
  Spawn spawn;
  UniqueFd orders_fd = Raised(told->reading.Get());
  UniqueFd error_fd = Raised(errors->writing.Get());
  std::array<UniqueFd, 3> sources;
  for (int number = 0; number < 3; ++number) {
    const auto index = static_cast<std::size_t>(number);
    sources.at(index) = Raised(streams.at(index) >= 0 ? streams.at(index) : number);
    if (sources.at(index)) spawn.Give(sources.at(index).Get(), number);
  }
  spawn.Give(orders_fd.Get(), kOrdersFd);
  spawn.Give(error_fd.Get(), kErrorFd);
  pid_t process = -1;
  const int failed = spawn.Run(program, process);
  if (failed != 0) return SystemError(ErrorCode::kSetupFailed, "start the sandbox's first process", failed);
  // The child's ends are the child's alone: only so do the pipes end when it does.
  errors->writing.Reset();
  error_fd.Reset();
  told->reading.Reset();
  orders_fd.Reset();
  // Through a pipe: arguments and environment may hold secrets, which no file is to see. A reader that has
  // ended says why on the other pipe.
  const bool sent = WriteAll(told->writing.Get(), Pack(orders));
  told->writing.Reset();
  std::string problem = ReadLine(errors->reading.Get());
  if (problem.empty() && !sent) problem = "the sandbox's first process ended at once";
  if (problem.empty()) return process;
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
  return SetupFailed(problem);
}

}  // namespace mxc
