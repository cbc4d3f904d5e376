#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "base/passed_fds.h"
#include "base/process_tree.h"
#include "engine/persistent/multiplexer.h"
#include "engine/persistent/sent_report.h"
#include "engine/program.h"
#include "mxc/limit_hint.h"
#include "persistent/live_sandbox.h"
#include "run/relay.h"
#include "run/seal_mounts.h"

namespace mxc::session {
namespace {

Error NotInTime() {
  return SetupFailed("the sandbox could not be set up in time",
                     "a granted path may be on a file system that does not answer");
}

// With the message that bubblewrap or LXC wrote to its standard error.
Error NotBuilt(const UniqueFd& said) {
  std::string text(4096, '\0');
  const ssize_t count = ::pread(said.Get(), text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  text.resize(text.find_last_not_of("\r\n") + 1);
  text.erase(0, text.rfind('\n') + 1);
  return SetupFailed("the sandbox could not be set up: " + (text.empty() ? "it ended without a word" : text),
                     std::string(HintIn(text)));
}

}  // namespace

Status LiveSandbox::Build(const RunGateway::OnRecord& on_record) {
  if (Status made = MakeOwnDirectories(plan_.setup); !made) return made.error();
  Result<HostChanges> changes = NameGuarded(plan_.setup);
  if (!changes) return changes.error();
  if (Status recorded = record_(*changes, 0); !recorded) return recorded;
  Result<HostResources> resources = PrepareHostResources(std::move(*changes));
  if (!resources) return resources.error();
  resources_ = std::move(*resources);
  Result<RunGateway> gateway = RunGateway::Start(plan_, on_record);
  if (!gateway) return gateway.error();
  gateway_.emplace(std::move(*gateway));
  if (Status started = StartInit(); !started) return started;
  return record_(resources_.changes, init_id_);
}

Status LiveSandbox::StartInit() {
  int ends[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return SystemError(ErrorCode::kSetupFailed, "reach the sandbox", errno);
  session_.Reset(ends[0]);
  UniqueFd inner{ends[1]};
  const bool tool = std::holds_alternative<BubblewrapLaunch>(plan_.launch);
  const UniqueFd said{tool ? ::memfd_create("mxc-said", MFD_CLOEXEC) : -1};
  StdioSetup stdio;  // the daemon's streams, which lead nowhere
  stdio.standard[STDERR_FILENO] = said.Get();
  if (Status expected = engine::ExpectReports(session_.Get()); !expected) return expected;
  CallWatch watch;  // of nothing: each command brings its own
  Result<Started> started = StartChild({.plan = plan_,
                                        .stdio = stdio,
                                        .signals = signals_,
                                        .cleanup_process = resources_.cleanup_process,
                                        .groups = resources_.groups,
                                        .gateway = *gateway_,
                                        .watch = watch,
                                        .session = inner.Get(),
                                        .started_ms = NowMs()});
  if (!started) return started.error();
  started_.emplace(std::move(*started));
  if (!started_->running) return NotInTime();
  init_id_ = started_->child.id;
  inner.Reset();
  if (started_->container > 0) init_ = HandleOf(started_->container);
  if (Status stands = tool ? AwaitInit(said) : Status(Done{}); !stands) return stands;
  multiplexer_ = engine::TakeMultiplexer(session_.Get());
  complete_ = true;
  return Done{};
}

// Waits for the report of process 1: bubblewrap or LXC runs long before the sandbox is complete.
Status LiveSandbox::AwaitInit(const UniqueFd& said) {
  const std::uint64_t end = NowMs() + plan_.timeout_ms;
  pollfd polls[] = {{.fd = session_.Get(), .events = POLLIN, .revents = 0},
                    {.fd = signals_.Descriptor(), .events = POLLIN, .revents = 0}};
  while (polls[0].revents == 0) {
    const std::uint64_t now = NowMs();
    if (now >= end) return NotInTime();
    ::poll(polls, std::size(polls), static_cast<int>(end - now));
    if (polls[1].revents != 0 && signals_.Ending()) return NotInTime();
  }
  const std::optional<engine::SentReport> sent = engine::ReceiveReport(session_.Get());
  if (!sent) return NotBuilt(said);
  if (sent->report.event != engine::Event::kStarted) return engine::StepError(sent->report, {});
  init_ = HandleOf(sent->sender);
  if (!init_) return NotBuilt(said);
  init_id_ = sent->sender;
  resources_.cleanup_process.Watch(sent->sender);
  return Done{};
}

Status LiveSandbox::Start(const RunGateway::OnRecord& on_record) {
  Status built = Build(on_record);
  if (!built) Stop();
  return built;
}

void LiveSandbox::Stop() {
  if (started_) {
    SignalHandle(InitHandle(), SIGKILL);
    started_->guard.Kill();  // the tool may have children that nothing ties to it yet
    SignalHandle(started_->child.handle, SIGKILL);
    while (::waitpid(started_->child.id, nullptr, 0) < 0 && errno == EINTR) {
    }
    // When process 1 has ended, the kernel has ended everything inside.
    pollfd init{.fd = init_.Get(), .events = POLLIN, .revents = 0};
    while (init_ && ::poll(&init, 1, -1) < 0 && errno == EINTR) {
    }
    if (const LinuxSandbox* const sandbox = LinuxSandboxOf(plan_.launch); sandbox != nullptr && complete_)
      still_writable_ = SealMounts(started_->discard.Mounts(), *sandbox);
    complete_ = false;
    started_.reset();
    init_.Reset();
  }
  session_.Reset();
  multiplexer_.Reset();
  if (gateway_)
    gateway_->Finish(
        {.interrupt = signals_.Descriptor(), .interrupted = [this] { return signals_.Ending(); }});
  gateway_.reset();
  resources_ = HostResources{};
  [[maybe_unused]] const Status erased = record_({}, 0);
  running_ = 0;
}

bool LiveSandbox::Admit(int connection) {
  const char byte = 'c';
  if (SendWithFds(session_.Get(), &byte, 1, std::span(&connection, 1)) != 1) return false;
  ++running_;
  return true;
}

void LiveSandbox::TakeEnds() {
  char byte = 0;
  while (::recv(session_.Get(), &byte, 1, MSG_DONTWAIT) == 1) {
    if (running_ > 0) --running_;
  }
}

}  // namespace mxc::session
