// The whole of a run on macOS, in order: watcher, temporary files, streams, start, relay, end of the tree.
#include <fmt/format.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/own_files.h"
#include "base/undo.h"
#include "gateway/local_proxy/local_proxy.h"
#include "macos/seatbelt.h"
#include "macos/signals.h"
#include "macos/start.h"
#include "macos/temp.h"
#include "macos/watcher.h"
#include "mxc/limits.h"
#include "run/audited.h"
#include "run/run.h"
#include "stdio/stdio_setup.h"

namespace mxc {
namespace {

constexpr int kSweepEveryMs = 10;
constexpr int kSweeps = 500;  // a tree that still grows after five seconds of SIGKILL is not ours to end
constexpr int kTickMs = 100;  // until somebody may have ended without a signal of ours

std::uint64_t NowMs() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

std::string HomeOfCaller() {
  const passwd* const entry = ::getpwuid(::getuid());
  return entry == nullptr || entry->pw_dir == nullptr ? "/nonexistent" : entry->pw_dir;
}

// The gateway of this run is all that its command reaches; these name it to programs.
void NameGateway(std::uint16_t port, SeatbeltOrders& orders) {
  const std::string place = "localhost:" + std::to_string(port);
  orders.parameters.push_back({.name = "GATEWAY", .value = place});
  for (const char* name :
       {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
    orders.environment.push_back(std::string(name) + "=http://" + place);
}

// What only the machine knows.
void FillInParameters(const Mark& mark, const std::string& temp, SeatbeltOrders& orders) {
  if (!temp.empty()) orders.parameters.push_back({.name = "TEMP", .value = temp});
  orders.parameters.push_back({.name = "MARK", .value = mark.name});
  orders.parameters.push_back({.name = "NO_MARK", .value = mark.missing});
  orders.parameters.push_back({.name = "KEYCHAINS", .value = HomeOfCaller() + "/Library/Keychains"});
}

void AddEnvironment(const std::vector<Variable>& environment, const std::string& temp,
                    SeatbeltOrders& orders) {
  for (const Variable& variable : environment) {
    const std::string value = variable.value.Reveal();
    orders.environment.push_back(variable.name + "=" + (temp.empty() ? value : MovedTemp(value, temp)));
  }
  orders.environment.push_back("PWD=" + orders.cwd);
}

SeatbeltOrders OrdersOf(const SeatbeltSandbox& sandbox, const Mark& mark, const std::string& temp) {
  SeatbeltOrders orders{.profile = sandbox.profile,
                        .parameters = sandbox.parameters,
                        .argv = sandbox.argv,
                        .cwd = sandbox.cwd,
                        .limits = sandbox.limits,
                        .take_terminal = !sandbox.new_session};
  FillInParameters(mark, temp, orders);
  AddEnvironment(sandbox.environment, temp, orders);
  return orders;
}

// Direct execution. What needs files of Linux was never planned for this system.
Result<SeatbeltOrders> OrdersOf(const DirectLaunch& launch) {
  const Exec& exec = launch.command;
  SeatbeltOrders orders{.cwd = exec.cwd, .limits = exec.limits};
  for (const Piece& piece : exec.argv) {
    const auto* const text = std::get_if<std::string>(&piece);
    const auto* const secret = std::get_if<Secret>(&piece);
    if (text == nullptr && secret == nullptr) {
      return Error{.code = ErrorCode::kInternal, .message = "a plan of another system"};
    }
    orders.argv.push_back(text != nullptr ? *text : secret->Reveal());
  }
  orders.take_terminal = launch.terminal == Terminal::kPrivatePty;
  AddEnvironment(exec.environment, "", orders);
  return orders;
}

// The processes of a run.
class Tree {
 public:
  Tree(pid_t process, std::optional<Mark> mark) : process_(process), mark_(std::move(mark)) {}

  // Its group and whatever has left that. False when nobody was there any more.
  bool Signal(int number) const {
    const bool grouped = !reaped_ && ::kill(-process_, number) == 0;
    return (mark_ && SignalMarked(*mark_, number) > 0) || grouped;
  }
  // Reaps the first process when it has ended; until then its number is its own, and its group's.
  std::optional<int> Ended() {
    siginfo_t info{};
    const int asked = ::waitid(P_PID, static_cast<id_t>(process_), &info, WEXITED | WNOHANG | WNOWAIT);
    if (asked != 0 || info.si_pid != process_) return std::nullopt;
    ::kill(-process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    return status;
  }
  void Finish() const {
    for (int i = 0; i < kSweeps && mark_ && SignalMarked(*mark_, SIGKILL) > 0; ++i)
      ::usleep(kSweepEveryMs * 1000);
  }

 private:
  pid_t process_;
  std::optional<Mark> mark_;
  bool reaped_ = false;
};

// What else there is to look after during a run.
struct Watched {
  RunObserver& observer;
  egress::LocalProxy* gateway = nullptr;  // nullptr: none
  std::uint64_t started_ms = 0;
};

// Stays with the tree until its first process and its output have ended.
class MacRelay {
 public:
  MacRelay(const Plan& plan, Tree& tree, MacSignals& signals, StdioSetup& stdio, Watched watched)
      : plan_(plan), tree_(tree), signals_(signals), stdio_(stdio), watched_(watched) {}

  Outcome Run() {
    while (!status_ || !OutputsFinished()) Step();
    TakeRecords();
    Outcome outcome{.exit_code = WIFSIGNALED(*status_) ? 128 + WTERMSIG(*status_) : WEXITSTATUS(*status_),
                    .signal = WIFSIGNALED(*status_) ? WTERMSIG(*status_) : 0,
                    .timed_out = timed_out_,
                    .interrupted_by = timed_out_ ? 0 : signals_.Ending()};
    return outcome;
  }

 private:
  [[nodiscard]] bool OutputsFinished() const {
    const std::vector<Stream*> outputs = stdio_.Outputs();
    return std::all_of(outputs.begin(), outputs.end(),
                       [](const Stream* stream) { return stream->Finished(); });
  }

  void Step() {
    std::vector<Stream*> streams = stdio_.Outputs();
    in_background_ = stdio_.terminal && !stdio_.terminal->Follow();
    if (stdio_.streams[0] != nullptr) streams.push_back(stdio_.streams[0].get());
    const int records = watched_.gateway != nullptr ? watched_.gateway->Descriptor() : -1;
    std::vector<pollfd> polls = {{.fd = signals_.Descriptor(), .events = POLLIN, .revents = 0},
                                 {.fd = records, .events = POLLIN, .revents = 0}};
    for (const Stream* stream : streams) {
      polls.push_back(stream->PollSource());
      polls.push_back(stream->PollTarget());
      if (in_background_ && stream == stdio_.streams[0].get()) polls[polls.size() - 2].fd = -1;
    }
    ::poll(polls.data(), static_cast<nfds_t>(polls.size()), WaitMs());
    for (std::size_t i = 0; i < streams.size(); ++i) {
      streams[i]->OnSource(polls[2 + 2 * i].revents);
      streams[i]->OnTarget(polls[3 + 2 * i].revents);
    }
    TakeRecords();
    bool resized = false;
    signals_.Take(resized);
    if (resized && stdio_.Shown() != nullptr) stdio_.Shown()->CopyWindowSize();
    Watch(streams);
    End();
  }

  void TakeRecords() {
    if (watched_.gateway == nullptr) return;
    for (const GatewayRecord& record : watched_.gateway->TakeRecords()) watched_.observer.OnNetwork(record);
  }

  void Watch(const std::vector<Stream*>& streams) {
    if (status_) return;
    status_ = tree_.Ended();
    if (!status_) return;
    // What still holds an output open has outlived the command, and ends with it.
    tree_.Finish();
    for (Stream* stream : streams) stream->EndSource();
    if (stdio_.streams[0] != nullptr) stdio_.streams[0]->CloseSource();
  }

  void End() {
    if (status_) return;
    const std::uint64_t now = NowMs();
    if (stop_at_ms_ == 0) {
      timed_out_ = plan_.timeout_ms != 0 && now >= watched_.started_ms + plan_.timeout_ms;
      if (!timed_out_ && signals_.Ending() == 0) return;
      tree_.Signal(SIGTERM);
      stop_at_ms_ = now + kTermGraceMs;
    } else if (now >= stop_at_ms_) {
      tree_.Signal(SIGKILL);
    }
  }

  [[nodiscard]] int WaitMs() const {
    if (status_) return kTickMs;
    std::uint64_t next = stop_at_ms_;
    if (next == 0 && plan_.timeout_ms != 0) next = watched_.started_ms + plan_.timeout_ms;
    const std::uint64_t now = NowMs();
    if (in_background_) next = std::min(next == 0 ? now + kTickMs : next, now + kTickMs);
    if (next == 0) return -1;
    return now >= next ? kSweepEveryMs : static_cast<int>(std::min<std::uint64_t>(next - now, 1U << 20U));
  }

  const Plan& plan_;
  Tree& tree_;
  MacSignals& signals_;
  StdioSetup& stdio_;
  Watched watched_;
  std::uint64_t stop_at_ms_ = 0;  // 0: runs freely
  bool timed_out_ = false;
  bool in_background_ = false;
  std::optional<int> status_ = {};
};

Error NotOfThisSystem() {
  return {.code = ErrorCode::kUnsupported, .message = "this plan is for another system than macOS"};
}

Result<Outcome> RunOrders(const Plan& plan, const SeatbeltOrders& orders, const std::optional<Mark>& mark,
                          const Watched& watched) {
  if (Status streams = CheckStandardStreams(); !streams) return streams.error();
  MacSignals signals;
  if (Status begun = signals.Begin(); !begun) return begun.error();
  Undo undo;
  Result<StdioSetup> stdio =
      SetUpStdio(plan, watched.observer.SpeaksOnStandardOutput(), ModesToChange(plan), undo);
  if (!stdio) return stdio.error();
  Result<pid_t> process = StartSeatbeltChild(orders, stdio->standard);
  if (!process) return process.error();
  stdio->CloseChildEnds();
  watched.observer.OnStarted(*process);
  Tree tree(*process, mark);
  Outcome outcome = MacRelay(plan, tree, signals, *stdio, watched).Run();
  const auto truncated = [&](std::size_t number) {
    return stdio->streams.at(number) != nullptr && stdio->streams.at(number)->Truncated();
  };
  outcome.stdout_truncated = truncated(STDOUT_FILENO);
  outcome.stderr_truncated = truncated(STDERR_FILENO);
  outcome.duration_ms = NowMs() - watched.started_ms;
  undo.Run();
  static_cast<void>(watched.observer.OnEnded());
  return outcome;
}

Result<Outcome> Run(const SeatbeltLaunch& launch, const Plan& plan, RunObserver& observer) {
  const std::uint64_t started_ms = NowMs();
  const SeatbeltSandbox& sandbox = launch.sandbox;
  if (Status verified = VerifySeatbeltPaths(sandbox.verified); !verified) return verified.error();
  std::string temp;
  if (sandbox.private_temp) {
    Result<std::string> made = MakeTemp();
    if (!made) return made.error();
    temp = std::move(*made);
  }
  Undo undo;
  undo.Push([temp] { RemoveTemp(temp); });
  const std::string name = "mxc." + RandomName();
  const Mark mark{.name = name, .missing = name + ".none"};
  Result<Watcher> watcher = Watcher::Start(mark, temp);
  if (!watcher) return watcher.error();
  undo.Push([&watcher] { watcher->Dismiss(); });
  SeatbeltOrders orders = OrdersOf(sandbox, mark, temp);
  std::optional<egress::LocalProxy> gateway;
  if (plan.egress) {
    // Its threads come after the watcher, which is forked.
    Result<egress::LocalProxy> started = egress::LocalProxy::Start(*plan.egress);
    if (!started) return started.error();
    gateway.emplace(std::move(*started));
    NameGateway(gateway->Port(), orders);
  }
  return RunOrders(plan, orders, sandbox.marked ? std::optional(mark) : std::nullopt,
                   {observer, gateway ? &*gateway : nullptr, started_ms});
}

Result<Outcome> Run(const DirectLaunch& launch, const Plan& plan, RunObserver& observer) {
  if (!launch.command.files.empty() || !plan.setup.empty()) return NotOfThisSystem();
  Result<SeatbeltOrders> orders = OrdersOf(launch);
  if (!orders) return orders.error();
  return RunOrders(plan, *orders, std::nullopt, {.observer = observer, .started_ms = NowMs()});
}

template <class OtherLaunch>
Result<Outcome> Run(const OtherLaunch& /*launch*/, const Plan& /*plan*/, RunObserver& /*observer*/) {
  return NotOfThisSystem();
}

}  // namespace

Result<Outcome> RunPlan(const Plan& plan, RunObserver& observer, const SandboxConnections& /*connections*/) {
  return RunAudited(plan, observer, [&plan](RunObserver& recorder) {
    return std::visit([&](const auto& launch) { return Run(launch, plan, recorder); }, plan.launch);
  });
}

}  // namespace mxc
