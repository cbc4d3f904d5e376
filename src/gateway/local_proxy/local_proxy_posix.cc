#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/pipe.h"
#include "base/unique_fd.h"
#include "gateway/local_proxy/local_proxy.h"
#include "gateway/local_proxy/plain_sockets_posix.h"
#include "gateway/local_proxy/proxy_client_posix.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxConnections = 512;  // a thread each

// The launcher's main thread takes signals. SIGPIPE is ignored.
void BlockSignals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

void Accept(const std::shared_ptr<ProxyState>& state, int listener, std::uint16_t published) {
  // accept4 is not on macOS. NOLINTNEXTLINE(android-cloexec-accept): Prepared sets the flag
  UniqueFd socket = Prepared(UniqueFd{::accept(listener, nullptr, nullptr)});
  if (!socket) return;
  {
    const std::lock_guard lock(state->mutex);
    if (state->sockets.size() >= kMaxConnections) return;  // it is closed
  }
  std::thread([state, published, socket = std::move(socket)]() mutable {
    published == 0 ? ServeProxyClient(*state, std::move(socket))
                   : ServePublished(*state, std::move(socket), published);
  }).detach();
}

void AcceptUntilStopped(const std::shared_ptr<ProxyState>& state) {
  BlockSignals();  // the threads of connections take over the mask
  std::vector<pollfd> polls = {{.fd = state->listener.Get(), .events = POLLIN, .revents = 0}};
  for (const auto& [listener, guest] : state->published)
    polls.push_back({.fd = listener.Get(), .events = POLLIN, .revents = 0});
  constexpr int kTickMs = 200;  // a listener's end wakes nobody on some systems
  for (;;) {
    ::poll(polls.data(), static_cast<nfds_t>(polls.size()), kTickMs);
    {
      const std::lock_guard lock(state->mutex);
      if (state->stopped) return;
    }
    for (std::size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].revents != 0) Accept(state, polls[i].fd, i == 0 ? 0 : state->published[i - 1].second);
    }
  }
}

}  // namespace

LocalProxy::LocalProxy(std::shared_ptr<ProxyState> state) : state_(std::move(state)) {}
LocalProxy::LocalProxy(LocalProxy&&) noexcept = default;

Result<LocalProxy> LocalProxy::Start(const EgressRules& rules) {
  Result<RuleBook> book = RuleBook::Compile(rules);
  if (!book) return book.error();
  const auto state = std::make_shared<ProxyState>(std::move(*book));
  state->listener = ListenOnLoopback(0);
  if (!state->listener) return SystemError(ErrorCode::kSetupFailed, "listen for the sandbox", errno);
  for (const PublishedPort& port : rules.publish) {
    if (port.host == port.guest) continue;  // the command listens there itself
    UniqueFd listener = ListenOnLoopback(port.host);
    if (!listener) {
      Error error = SystemError(ErrorCode::kSetupFailed, "publish port " + std::to_string(port.host), errno);
      error.pointer = port.pointer;
      return error;
    }
    state->published.emplace_back(std::move(listener), port.guest);
  }
  Result<Pipe> wake = MakePipe();
  if (!wake) return wake.error();
  state->wake = std::move(*wake);
  std::thread([state] { AcceptUntilStopped(state); }).detach();
  return LocalProxy(state);
}

LocalProxy::~LocalProxy() {
  if (!state_) return;
  const std::lock_guard lock(state_->mutex);
  state_->stopped = true;
  for (const int socket : state_->sockets) ::shutdown(socket, SHUT_RDWR);
}

std::uint16_t LocalProxy::Port() const { return PortOf(state_->listener.Get()); }

int LocalProxy::Descriptor() const { return state_->wake.reading.Get(); }

std::vector<GatewayRecord> LocalProxy::TakeRecords() {
  const std::lock_guard lock(state_->mutex);
  char byte = 0;
  if (!state_->records.empty()) static_cast<void>(::read(state_->wake.reading.Get(), &byte, 1) == 1);
  return std::exchange(state_->records, {});
}

}  // namespace mxc::egress
