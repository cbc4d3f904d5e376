#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "base/passed_fds.h"
#include "base/process_tree.h"
#include "base/quoted.h"
#include "cleanup/cleanup_process.h"
#include "cleanup/config_record.h"
#include "cleanup/guard_watch.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/placeholders.h"
#include "cleanup/put_back_answer.h"
#include "cleanup/way_rights.h"

namespace mxc {
namespace {

using Clock = std::chrono::steady_clock;

// A killed sandbox ends within milliseconds. If it does not, guarded paths are restored this often, and the
// launcher waits this long for the report.
constexpr int kMaxWaitMs = 10000;

// The cleanup process's descriptors beside the standard ones.
constexpr int kPipe = 3;
constexpr int kTerminal = 4;
constexpr int kAdmission = 5;
constexpr int kFirstFree = 6;

constexpr std::size_t kMaxRefusalBytes = 4096;

// Sent instead of a process's number: the launcher has judged what the command left.
constexpr pid_t kKeep = 0;
// Sent instead of a process's number: restore the guarded paths and report them.
constexpr pid_t kPutBack = -1;

// A command is ended after so many restored changes: programs of the host could obey each for a moment.
constexpr int kMostPutBack = 256;

// The cleanup process's answer: everything was created, or the errno of a failure.
struct Answer {
  enum class Part { kNone, kPlaceholder, kGroup, kConfig, kPath };
  Part failed = Part::kNone;
  std::size_t placeholder = 0;
  std::size_t config = 0;
  std::size_t path = 0;
  GroupFailure group = {};
  int error = 0;
};

bool InScope(const HostChanges& changes) {
  return std::any_of(changes.groups.begin(), changes.groups.end(),
                     [](const RunGroup& group) { return group.plan.scope.has_value(); });
}

Answer MakeAll(const HostChanges& changes, GuardedPaths& paths, std::vector<HeldFile>& files,
               std::vector<MadeGroup>& groups, std::vector<UniqueFd>& locks) {
  const std::size_t path = paths.OpenAlone();
  if (path != paths.Size()) return {.failed = Answer::Part::kPath, .path = path, .error = errno};
  const std::size_t config = LockConfigs(changes.configs, paths, locks);
  if (config != changes.configs.size())
    return {.failed = Answer::Part::kConfig, .config = config, .error = errno};
  const std::size_t placeholder = HoldFiles(changes.placeholders, files);
  if (placeholder != changes.placeholders.size())
    return {.failed = Answer::Part::kPlaceholder, .placeholder = placeholder, .error = errno};
  const std::optional<GroupFailure> failure = MakeGroups(changes.groups, groups);
  if (failure) return {.failed = Answer::Part::kGroup, .group = *failure, .error = errno};
  return {};
}

// False: one of them still exists.
bool WaitForEnd(const std::vector<UniqueFd>& watched, int each_ms) {
  bool all = true;
  for (const UniqueFd& handle : watched) {
    pollfd ended{.fd = handle.Get(), .events = POLLIN, .revents = 0};
    int count = 0;
    while ((count = ::poll(&ended, 1, each_ms)) < 0 && errno == EINTR) {
    }
    all = all && count != 0;
  }
  return all;
}

// Signals that end the launcher must not end the cleanup process, and it must not keep descriptors open for
// whose closing others wait.
void Detach(int pipe, int terminal, int admission) {
  ::setsid();
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_NAME, "mxc-cleanup");
  // The descriptors that stay, first out of each other's way.
  const int kept[] = {::fcntl(pipe, F_DUPFD_CLOEXEC, kFirstFree),
                      ::fcntl(terminal, F_DUPFD_CLOEXEC, kFirstFree),
                      ::fcntl(admission, F_DUPFD_CLOEXEC, kFirstFree)};
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  ::dup2(kept[0], kPipe);
  if (terminal < 0 || ::dup2(kept[1], kTerminal) < 0) ::close(kTerminal);
  if (admission < 0 || ::dup2(kept[2], kAdmission) < 0) ::close(kAdmission);
  ::syscall(SYS_close_range, static_cast<unsigned>(kFirstFree), ~0U, 0U);
  if (::chdir("/") != 0) ::_exit(1);
}

// Sends a refusal to the launcher: message and hint, a line each. The kernel identifies the asking process
// (SCM_CREDENTIALS), whose own number is one of another pid namespace.
void Admit(const HostChanges& changes, std::vector<MadeGroup>& groups) {
  char byte = 0;
  std::size_t none = 0;
  ucred sender{};
  if (ReceiveWithFds(kAdmission, &byte, 1, MSG_DONTWAIT, {}, none, &sender) <= 0) return;
  const Status admitted = AdmitToScope(changes.groups, sender.pid, groups);
  if (!admitted) {
    const std::string text =
        (admitted.error().message + "\n" + admitted.error().hint).substr(0, kMaxRefusalBytes);
    ::send(kPipe, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  const int answer = admitted ? 0 : EPERM;
  ::send(kAdmission, &answer, sizeof answer, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// The command can observe when we compare. The pause is memoryless (exponential), so the chance that a change
// is found depends only on how long it stands, not on when it is made.
Clock::duration PauseAfter(Clock::duration look) {
  constexpr Clock::duration kMean = std::chrono::milliseconds(50);
  constexpr int kShare = 20;  // of one processor, that a look takes
  constexpr double kLongest = 2;
  std::uint32_t random = 0;  // which is the longest
  [[maybe_unused]] const ssize_t count = ::getrandom(&random, sizeof random, 0);
  const double drawn = -std::log((random + 1.0) / 0x1p32);
  return std::chrono::duration_cast<Clock::duration>(std::max(kMean, look * kShare) *
                                                     std::min(drawn, kLongest));
}

// The events of the cleanup process while the sandbox lives.
class Listener {
 public:
  Listener(const HostChanges& changes, GuardedPaths& paths, std::vector<MadeGroup>& groups, UniqueFd launcher)
      : changes_(changes), paths_(paths), groups_(groups), watch_(paths), launcher_(std::move(launcher)) {}

  // Until nobody holds the other end of the pipe any more. For the terminal the launcher's end is enough: its
  // shell goes on there at once.
  void Run();
  [[nodiscard]] bool KeepsConfigs() const { return kept_; }
  [[nodiscard]] const std::vector<UniqueFd>& Watched() const { return watched_; }

 private:
  [[nodiscard]] ssize_t Hear();  // 0: nobody holds the other end
  void Obey(pid_t process);
  void PutBack();
  [[nodiscard]] int UntilNextLookMs() const;  // -1: there is nothing to look at
  void OnAdmission(pollfd& admission);

  const HostChanges& changes_;
  GuardedPaths& paths_;
  std::vector<MadeGroup>& groups_;
  GuardWatch watch_;
  UniqueFd launcher_;
  std::vector<UniqueFd> watched_ = {};
  bool kept_ = false;
  int times_ = 0;
  Clock::time_point next_look_ = Clock::now();
};

void Listener::Run() {
  UniqueFd terminal{changes_.terminal ? kTerminal : -1};
  pollfd polls[] = {{.fd = kPipe, .events = POLLIN, .revents = 0},
                    {.fd = launcher_.Get(), .events = POLLIN, .revents = 0},
                    {.fd = watch_.Descriptor(), .events = POLLIN, .revents = 0},
                    {.fd = InScope(changes_) ? kAdmission : -1, .events = POLLIN, .revents = 0}};
  for (ssize_t count = -1; count != 0;) {
    const int ready = ::poll(polls, std::size(polls), UntilNextLookMs());
    const bool told = ready > 0 && polls[2].revents != 0 && watch_.Take();
    if (told || UntilNextLookMs() == 0) PutBack();
    if (ready <= 0) continue;
    if (polls[0].revents != 0) count = Hear();
    OnAdmission(polls[3]);
    if (polls[1].revents == 0 && count != 0) continue;
    // A launcher that dismisses us has restored them itself.
    if (terminal) TakeRawModesBack({.terminal = terminal.Get(), .held = changes_.terminal->held});
    terminal.Reset();
    polls[1].fd = -1;
  }
}

void Listener::OnAdmission(pollfd& admission) {
  if ((admission.revents & POLLIN) != 0) Admit(changes_, groups_);
  if ((admission.revents & (POLLHUP | POLLERR)) != 0) admission.fd = -1;
}

ssize_t Listener::Hear() {
  pid_t process = 0;
  const ssize_t count = ::recv(kPipe, &process, sizeof process, 0);
  if (count == static_cast<ssize_t>(sizeof process)) Obey(process);
  return count;
}

void Listener::Obey(pid_t process) {
  if (process == kKeep) kept_ = true;
  if (process == kPutBack) {
    static_cast<void>(paths_.PutBack());
    AnswerPutBack(kPipe, {.paths = paths_.Found(), .ended = times_ >= kMostPutBack});
  }
  UniqueFd handle = process > 0 ? HandleOf(process) : UniqueFd{};  // none: it has ended already
  if (handle) watched_.push_back(std::move(handle));
}

int Listener::UntilNextLookMs() const {
  if (paths_.Empty()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next_look_ - Clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

void Listener::PutBack() {
  const Clock::time_point start = Clock::now();
  const bool changed = paths_.PutBack();
  if (changed) watch_.Renew();
  const Clock::time_point end = Clock::now();
  next_look_ = end + PauseAfter(end - start);
  if (!changed || ++times_ != kMostPutBack) return;
  for (const UniqueFd& handle : watched_)
    ::syscall(SYS_pidfd_send_signal, handle.Get(), SIGTERM, nullptr, 0U);
}

[[noreturn]] void Guard(int pipe, int admission, const HostChanges& changes, ConfigRecord& record,
                        GuardedPaths& paths, pid_t parent) {
  Detach(pipe, changes.terminal ? changes.terminal->terminal : -1, admission);
  UniqueFd launcher = HandleOf(parent);
  if (::getppid() != parent) launcher.Reset();
  rlimit limit{};  // two descriptors are held for each placeholder
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  std::vector<HeldFile> files;
  std::vector<MadeGroup> groups;
  std::vector<UniqueFd> locks;
  const Answer answer = MakeAll(changes, paths, files, groups, locks);
  ::send(kPipe, &answer, sizeof answer, MSG_NOSIGNAL);
  ReapStaleGroups(changes.groups);
  Listener listener(changes, paths, groups, std::move(launcher));
  listener.Run();
  // Without a pid namespace init ends the others itself, and takes its directory for temporary files away.
  constexpr int kForInitMs = 300;
  if (!groups.empty()) static_cast<void>(WaitForEnd(listener.Watched(), kForInitMs));
  EndGroups(groups);
  const bool made = answer.failed == Answer::Part::kNone;
  const bool judged = !made || listener.KeepsConfigs();
  // What the command writes before its last process has ended is put back after that.
  while (!WaitForEnd(listener.Watched(), kMaxWaitMs)) {
    if (!judged) static_cast<void>(RestoreConfigs(changes.configs));
    if (made) static_cast<void>(paths.PutBack());
  }
  record.Settle(judged ? RestoredConfigs{}.left : RestoreConfigs(changes.configs).left);
  if (made) static_cast<void>(paths.PutBack());
  for (const Way& way : changes.ways) {
    if (!judged) static_cast<void>(TakeRightsBack(way));
  }
  RemoveGroups(groups);
  ReleaseFiles(files);
  ::_exit(0);
}

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

Error ConfigError(const std::string& path, int number) {
  if (number != EWOULDBLOCK && number != ESTALE)
    return SystemError(ErrorCode::kSetupFailed, "lock the directory of " + Quoted(path), number);
  return SetupFailed("another run may write " + Quoted(path) + " at the same time",
                     "run the command when that has ended, or without \"config\": \"allow-safe\"");
}

Error PathError(const std::string& path, int number) {
  if (number != EWOULDBLOCK && number != ESTALE)
    return SystemError(ErrorCode::kSetupFailed, "lock the directory of " + Quoted(path), number);
  return {.code = ErrorCode::kSetupFailed,
          .message = "another run may write " + Quoted(path) +
                     ", which `protect` names, at the same time: without namespaces it is put back when that "
                     "has ended",
          .pointer = "/filesystem/protect",
          .hint = "run the command when the other run has ended, or grant other directories"};
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
  Result<GuardedPaths> paths = GuardedPaths::Remember(changes.paths);
  if (!paths) return paths.error();
  cleanup_process.paths_ = std::move(*paths);
  if (!changes.configs.empty()) {
    Result<ConfigRecord> record = ConfigRecord::Write(changes.configs);
    if (!record) return record.error();
    cleanup_process.record_ = std::move(*record);
  }
  const pid_t launcher = ::getpid();
  cleanup_process.process_ = ::fork();
  if (cleanup_process.process_ < 0)
    return SystemError(ErrorCode::kSetupFailed, "start the cleanup process", errno);
  if (cleanup_process.process_ == 0)
    Guard(theirs.Get(), admits.Get(), changes, cleanup_process.record_, cleanup_process.paths_, launcher);
  Answer answer;
  ssize_t count = 0;
  while ((count = ::recv(cleanup_process.pipe_.Get(), &answer, sizeof answer, 0)) < 0 && errno == EINTR) {
  }
  if (count != static_cast<ssize_t>(sizeof answer)) {
    return SetupFailed("the cleanup process of the run died");
  }
  if (answer.failed == Answer::Part::kPlaceholder)
    return PlaceholderError(changes.placeholders.at(answer.placeholder).path, answer.error);
  if (answer.failed == Answer::Part::kConfig)
    return ConfigError(changes.configs.at(answer.config).path, answer.error);
  locked_out =
      answer.failed == Answer::Part::kPath && (answer.error == EWOULDBLOCK || answer.error == ESTALE);
  if (answer.failed == Answer::Part::kPath)
    return PathError(cleanup_process.paths_.PathAt(answer.path), answer.error);
  if (answer.failed == Answer::Part::kGroup) return GroupError(changes.groups, answer.group, answer.error);
  return cleanup_process;
}

void ClearAway(const HostChanges& changes) {
  std::vector<HeldFile> files;
  FindFiles(changes.placeholders, files);
  ReleaseFiles(files);
  RemoveLeftGroups(changes.groups);
}

CleanupProcess::CleanupProcess(CleanupProcess&& other) noexcept
    : guarded_(std::move(other.guarded_)),
      record_(std::move(other.record_)),
      paths_(std::move(other.paths_)),
      pipe_(std::move(other.pipe_)),
      admission_(std::move(other.admission_)),
      process_(std::exchange(other.process_, -1)) {}

CleanupProcess& CleanupProcess::operator=(CleanupProcess&& other) noexcept {
  if (this != &other) {
    Dismiss();
    guarded_ = std::move(other.guarded_);
    record_ = std::move(other.record_);
    paths_ = std::move(other.paths_);
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
  record_.Remove();
  guarded_.configs.clear();
  if (pipe_) ::send(pipe_.Get(), &kKeep, sizeof kKeep, MSG_NOSIGNAL);
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
  ::send(pipe_.Get(), &kPutBack, sizeof kPutBack, MSG_NOSIGNAL);
  if (std::optional<PutBackReport> told = ReadPutBack(pipe_.Get(), kMaxWaitMs)) return *told;
  // It was killed, or stopped: whoever is left does it.
  ::kill(process_, SIGKILL);
  paths_.Open();
  static_cast<void>(paths_.PutBack());
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
    record_.Settle(RestoreConfigs(guarded_.configs).left);
  }
  record_.Forget();
}

}  // namespace mxc
