#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/passed_fds.h"
#include "base/process_tree.h"
#include "cleanup/cleanup_child.h"
#include "cleanup/guard_watch.h"
#include "cleanup/guarded_configs.h"
#include "cleanup/placeholders.h"
#include "cleanup/put_back_answer.h"
#include "cleanup/way_rights.h"

namespace mxc {
namespace {

using Clock = std::chrono::steady_clock;

// The cleanup process's descriptors beside the standard ones.
constexpr int kPipe = 3;
constexpr int kTerminal = 4;
constexpr int kAdmission = 5;
constexpr int kConfigRecord = 6;  // open, so that the run goes on for other calls (RunRecord)
constexpr int kPathRecord = 7;
constexpr int kFirstFree = 8;

// A command is ended after so many restored changes: programs of the host could obey each for a moment.
constexpr int kMostPutBack = 256;

CleanupAnswer MakeAll(const HostChanges& changes, GuardedPaths& paths, std::vector<HeldFile>& files,
                      std::vector<MadeGroup>& groups, std::vector<UniqueFd>& locks) {
  const std::size_t path = paths.OpenAlone();
  if (path != paths.Size()) return {.failed = CleanupAnswer::Part::kPath, .index = path, .error = errno};
  const std::size_t config = LockConfigs(changes.configs, paths, locks);
  if (config != changes.configs.size())
    return {.failed = CleanupAnswer::Part::kConfig, .index = config, .error = errno};
  const std::size_t placeholder = HoldFiles(changes.placeholders, files);
  if (placeholder != changes.placeholders.size())
    return {.failed = CleanupAnswer::Part::kPlaceholder, .index = placeholder, .error = errno};
  const std::optional<GroupFailure> failure = MakeGroups(changes.groups, groups);
  if (failure) return {.failed = CleanupAnswer::Part::kGroup, .group = *failure, .error = errno};
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

struct KeptOpen {
  int from;  // -1: there is none
  int as;
};

// Signals that end the launcher must not end the cleanup process, and it must not keep other descriptors open
// for whose closing others wait.
void Detach(std::initializer_list<KeptOpen> kept) {
  ::setsid();
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::prctl(PR_SET_NAME, "mxc-cleanup");
  std::vector<KeptOpen> copies;  // first out of each other's way
  for (const KeptOpen& each : kept)
    copies.push_back(
        {.from = each.from < 0 ? -1 : ::fcntl(each.from, F_DUPFD_CLOEXEC, kFirstFree), .as = each.as});
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) ::dup2(null, fd);
  for (const KeptOpen& each : copies) {
    if (each.from < 0 || ::dup2(each.from, each.as) < 0) ::close(each.as);
  }
  ::syscall(SYS_close_range, static_cast<unsigned>(kFirstFree), ~0U, 0U);
  if (::chdir("/") != 0) ::_exit(1);
}

// Sends a refusal to the launcher. The kernel identifies the asking process
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
  if (process == kKeepConfigs) kept_ = true;
  if (process == kRestorePaths) {
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

}  // namespace

bool InScope(const HostChanges& changes) {
  return std::any_of(changes.groups.begin(), changes.groups.end(),
                     [](const RunGroup& group) { return group.plan.scope.has_value(); });
}

void RunCleanupProcess(int pipe, int admission, const HostChanges& changes, RunRecords& records,
                       GuardedPaths& paths, pid_t parent) {
  Detach({{.from = pipe, .as = kPipe},
          {.from = changes.terminal ? changes.terminal->terminal : -1, .as = kTerminal},
          {.from = admission, .as = kAdmission},
          {.from = records.configs.Descriptor(), .as = kConfigRecord},
          {.from = records.paths.Descriptor(), .as = kPathRecord}});
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
  const CleanupAnswer answer = MakeAll(changes, paths, files, groups, locks);
  ::send(kPipe, &answer, sizeof answer, MSG_NOSIGNAL);
  ReapStaleGroups(changes.groups);
  Listener listener(changes, paths, groups, std::move(launcher));
  listener.Run();
  // Without a pid namespace init ends the others itself, and takes its directory for temporary files away.
  constexpr int kForInitMs = 300;
  if (!groups.empty()) static_cast<void>(WaitForEnd(listener.Watched(), kForInitMs));
  EndGroups(groups);
  const bool made = answer.failed == CleanupAnswer::Part::kNone;
  const bool judged = !made || listener.KeepsConfigs();
  // What the command writes before its last process has ended is put back after that.
  while (!WaitForEnd(listener.Watched(), kCleanupWaitMs)) {
    if (!judged) static_cast<void>(RestoreConfigs(changes.configs));
    if (made) static_cast<void>(paths.PutBack());
  }
  records.configs.Settle(judged ? RestoredConfigs{}.left : RestoreConfigs(changes.configs).left);
  if (made) static_cast<void>(paths.PutBack());
  records.paths.Settle(paths);
  for (const Way& way : changes.ways) {
    if (!judged) static_cast<void>(TakeRightsBack(way));
  }
  RemoveGroups(groups);
  ReleaseFiles(files);
  ::_exit(0);
}

}  // namespace mxc
