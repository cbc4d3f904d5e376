#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include "base/quoted.h"
#include "cleanup/cleanup_child.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/placeholders.h"
#include "cleanup/put_back_answer.h"
#include "cleanup/recover.h"
#include "cleanup/run_record.h"

namespace mxc {
namespace {

// A socket keeps each message whole, in both directions.
bool Connect(UniqueFd& ours, UniqueFd& theirs) {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  ours.Reset(ends[0]);
  theirs.Reset(ends[1]);
  return true;
}

bool ConnectAskers(UniqueFd& ours, UniqueFd& theirs) {
  const int on = 1;
  return Connect(ours, theirs) && ::setsockopt(theirs.Get(), SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0;
}

Error PlaceholderError(const std::string& path, int number) {
  struct stat status {};
  if (number == EACCES && ::lstat(path.c_str(), &status) == 0) {
    return SetupFailed(Quoted(path) + " is held by a run of user " + std::to_string(status.st_uid) +
                           ", which could free the name while this one goes on",
                       "run the command when that has ended");
  }
  if (number == EBUSY) {
    return SetupFailed(Quoted(path) + " is left of an earlier run, and another process keeps it locked",
                       "end that process, a command in another sandbox for instance: lsof names it");
  }
  const uid_t caller = ::geteuid();
  if (number == EEXIST && caller != 0 && ::lstat(path.c_str(), &status) == 0 && status.st_uid != caller) {
    return SetupFailed(Quoted(path) + " of user " + std::to_string(status.st_uid) +
                           " holds a name that is not to be created inside, and cannot be taken away",
                       "run the command when their run has ended, or have them remove what it has left");
  }
  if (number != EEXIST) return SystemError(ErrorCode::kSetupFailed, "create '" + path + "'", number);
  return SetupFailed(
      "'" + path + "' is not to be created inside; it appeared while the sandbox was being set up",
      "run the command again");
}

// EWOULDBLOCK: locked by another run; ESTALE: changed by one in the last moment.
bool IsOfAnotherRun(int number) { return number == EWOULDBLOCK || number == ESTALE; }

Error LockError(const std::string& path, int number) {
  return SystemError(ErrorCode::kSetupFailed, "lock the directory of " + Quoted(path), number);
}

Error ConfigError(const std::string& path, int number) {
  if (!IsOfAnotherRun(number)) return LockError(path, number);
  return SetupFailed("another run may write " + Quoted(path) + " at the same time",
                     "run the command when that has ended, or without \"config\": \"allow-safe\"");
}

Error PathError(const std::string& path, int number) {
  if (!IsOfAnotherRun(number)) return LockError(path, number);
  return {.code = ErrorCode::kSetupFailed,
          .message = "another run may write " + Quoted(path) +
                     ", which `protect` names, at the same time: without namespaces it is put back when that "
                     "has ended",
          .pointer = "/filesystem/protect",
          .hint = "run the command when the other run has ended, or grant other directories"};
}

// What was locked against us may be free because its run was killed: what stands there is that command's, and
// is not what was there before.
bool AnotherMayHaveWritten(const HostChanges& changes, const GuardedPaths& guarded) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < guarded.Size(); ++i) paths.push_back(guarded.PathAt(i));
  for (const GuardedConfig& config : changes.configs) paths.push_back(config.path);
  return !paths.empty() && AnotherNames({ConfigRecord::Kind(), PutBackRecord::Kind()}, paths);
}

Status RecoverOthers() {
  const RecoveryResult found = RecoverRuns().found;
  if (found.Empty()) return Done{};
  std::string problems;
  for (const std::string& problem : found.problems) problems += "; " + problem;
  return SetupFailed(
      "another run was killed while this one was being set up, and what is left of it was looked "
      "at first" +
          problems,
      "run the command again");
}

Error OfAnotherRun(const HostChanges& changes, const GuardedPaths& guarded) {
  if (!guarded.Empty()) return PathError(guarded.PathAt(0), EWOULDBLOCK);
  return ConfigError(changes.configs.front().path, EWOULDBLOCK);
}

Status ResultOf(const CleanupAnswer& answer, const HostChanges& changes, const GuardedPaths& paths) {
  switch (answer.failed) {
    case CleanupAnswer::Part::kNone:
      return Done{};
    case CleanupAnswer::Part::kPlaceholder:
      return PlaceholderError(changes.placeholders.at(answer.index).path, answer.error);
    case CleanupAnswer::Part::kGroup:
      return GroupError(changes.groups, answer.group, answer.error);
    case CleanupAnswer::Part::kConfig:
      return ConfigError(changes.configs.at(answer.index).path, answer.error);
    case CleanupAnswer::Part::kPath:
      return PathError(paths.PathAt(answer.index), answer.error);
  }
  return Done{};
}

}  // namespace

Result<CleanupProcess> CleanupProcess::Start(const HostChanges& changes) {
  if (changes.Empty()) return CleanupProcess{};
  constexpr int kAttempts = 100;
  constexpr useconds_t kPauseUs = 50'000;
  for (int attempt = 1;; ++attempt) {
    bool locked_out = false;
    Result<CleanupProcess> started = StartOnce(changes, locked_out);
    if (!locked_out || attempt == kAttempts) return started;
    ::usleep(kPauseUs);
    if (Status recovered = RecoverOthers(); !recovered) return recovered.error();
  }
}

Result<CleanupProcess> CleanupProcess::StartOnce(const HostChanges& changes, bool& locked_out) {
  CleanupProcess cleanup_process;
  UniqueFd theirs;
  UniqueFd admits;
  const bool reached = Connect(cleanup_process.pipe_, theirs) &&
                       (!InScope(changes) || ConnectAskers(cleanup_process.admission_, admits));
  if (!reached) return SystemError(ErrorCode::kSetupFailed, "reach the cleanup process", errno);
  cleanup_process.guarded_ = changes;
  NoteDirectories(cleanup_process.guarded_.configs);
  Result<GuardedPaths> paths = GuardedPaths::Remember(changes.paths);
  if (!paths) return paths.error();
  cleanup_process.paths_ = std::move(*paths);
  if (!changes.configs.empty()) {
    Result<ConfigRecord> record = ConfigRecord::Reserve();
    if (!record) return record.error();
    cleanup_process.records_.configs = std::move(*record);
  }
  if (!cleanup_process.paths_.Empty()) {
    Result<PutBackRecord> record = PutBackRecord::Reserve();
    if (!record) return record.error();
    cleanup_process.records_.paths = std::move(*record);
  }
  const pid_t launcher = ::getpid();
  cleanup_process.process_ = ::fork();
  if (cleanup_process.process_ < 0)
    return SystemError(ErrorCode::kSetupFailed, "start the cleanup process", errno);
  if (cleanup_process.process_ == 0)
    RunCleanupProcess(theirs.Get(), admits.Get(), cleanup_process.guarded_, cleanup_process.records_,
                      cleanup_process.paths_, launcher);
  CleanupAnswer answer;
  ssize_t count = 0;
  while ((count = ::recv(cleanup_process.pipe_.Get(), &answer, sizeof answer, 0)) < 0 && errno == EINTR) {
  }
  if (count != static_cast<ssize_t>(sizeof answer)) {
    return SetupFailed("the cleanup process of the run died");
  }
  locked_out = answer.failed == CleanupAnswer::Part::kPath && IsOfAnotherRun(answer.error);
  if (Status made = ResultOf(answer, changes, cleanup_process.paths_); !made) return made.error();
  locked_out = AnotherMayHaveWritten(changes, cleanup_process.paths_);
  if (locked_out) return OfAnotherRun(changes, cleanup_process.paths_);
  if (Status written = cleanup_process.WriteRecords(); !written) return written.error();
  return cleanup_process;
}

Status CleanupProcess::WriteRecords() {
  Status written = guarded_.configs.empty() ? Status(Done{}) : records_.configs.Write(guarded_.configs);
  if (!written || paths_.Empty()) return written;
  return records_.paths.Write(paths_);
}

void ClearAway(const HostChanges& changes) {
  std::vector<HeldFile> files;
  FindFiles(changes.placeholders, files);
  ReleaseFiles(files);
  RemoveLeftGroups(changes.groups);
}

CleanupProcess::CleanupProcess(CleanupProcess&& other) noexcept
    : guarded_(std::move(other.guarded_)),
      records_(std::move(other.records_)),
      paths_(std::move(other.paths_)),
      restored_here_(other.restored_here_),
      pipe_(std::move(other.pipe_)),
      admission_(std::move(other.admission_)),
      process_(std::exchange(other.process_, -1)) {}

CleanupProcess& CleanupProcess::operator=(CleanupProcess&& other) noexcept {
  if (this != &other) {
    Dismiss();
    guarded_ = std::move(other.guarded_);
    records_ = std::move(other.records_);
    paths_ = std::move(other.paths_);
    restored_here_ = other.restored_here_;
    pipe_ = std::move(other.pipe_);
    admission_ = std::move(other.admission_);
    process_ = std::exchange(other.process_, -1);
  }
  return *this;
}

void CleanupProcess::Watch(pid_t process) const {
  if (pipe_) ::send(pipe_.Get(), &process, sizeof process, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void CleanupProcess::KeepConfigs() {
  records_.configs.Remove();
  guarded_.configs.clear();
  if (pipe_) ::send(pipe_.Get(), &kKeepConfigs, sizeof kKeepConfigs, MSG_NOSIGNAL);
}

std::optional<Error> CleanupProcess::Refusal() const {
  std::string text(kMaxRefusalBytes, '\0');
  const ssize_t count = pipe_ ? ::recv(pipe_.Get(), text.data(), text.size(), MSG_DONTWAIT) : -1;
  if (count <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(count));
  const std::size_t line = std::min(text.find('\n'), text.size());
  return SetupFailed(text.substr(0, line), text.substr(std::min(line + 1, text.size())));
}

PutBackReport CleanupProcess::PutBack() {
  if (paths_.Empty()) return {};
  ::send(pipe_.Get(), &kRestorePaths, sizeof kRestorePaths, MSG_NOSIGNAL);
  if (std::optional<PutBackReport> told = ReadPutBack(pipe_.Get(), kCleanupWaitMs)) return *told;
  // It was killed, or stopped: whoever is left does it.
  ::kill(process_, SIGKILL);
  paths_.Open();
  static_cast<void>(paths_.PutBack());
  restored_here_ = true;
  return {.paths = paths_.Found()};
}

void CleanupProcess::Dismiss() {
  if (process_ < 0) return;
  pipe_.Reset();
  admission_.Reset();
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  if (WIFSIGNALED(status)) {
    ClearAway(guarded_);
    records_.configs.Settle(RestoreConfigs(guarded_.configs).left);
    if (restored_here_) records_.paths.Settle(paths_);
  }
  records_.configs.Forget();
  records_.paths.Forget();
}

}  // namespace mxc
