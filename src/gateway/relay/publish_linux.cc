#include "gateway/relay/publish_linux.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "gateway/net/sockets_linux.h"

namespace mxc::egress {
namespace {

constexpr std::uint32_t kLoopback = 0x7f000001;
constexpr int kBacklog = 1024;
constexpr int kAcceptsPerTurn = 64;
constexpr std::uint64_t kDrainMs = 50;
constexpr int kTakenMs = 500;
constexpr int kRetryMs = 5;
constexpr int kClosed = 7;  // TCP_CLOSE of the kernel's states

// Waits a moment for a port in use: the gateway of a launcher that was killed holds its ports until it has
// ended too.
bool Bind(int socket, const SocketAddress& address) {
  for (int waited_ms = 0;; waited_ms += kRetryMs) {
    if (::bind(socket, address.Get(), address.size) == 0) return true;
    if (errno != EADDRINUSE || waited_ms >= kTakenMs) return false;
    ::poll(nullptr, 0, kRetryMs);
  }
}

Result<UniqueFd> Listen(const PublishedPort& port) {
  UniqueFd socket = MakeSocket(IpAddress::V4(kLoopback), SOCK_STREAM);
  if (!socket) return SystemError(ErrorCode::kSetupFailed, "create a listener for a published port", errno);
  SetOption(socket.Get(), SOL_SOCKET, SO_REUSEADDR, 1);
  PrepareRelayedNear(socket.Get());
  const SocketAddress address = ToSocketAddress({IpAddress::V4(kLoopback), port.host}, false);
  if (Bind(socket.Get(), address) && ::listen(socket.Get(), kBacklog) == 0) return socket;
  Error error =
      SystemError(ErrorCode::kConflict, "cannot publish on 127.0.0.1:" + std::to_string(port.host), errno);
  error.pointer = port.pointer;
  error.hint = "name another port of the host";
  return error;
}

// Whether there are bytes that the peer has not acknowledged: a disconnect would discard them.
bool HasUnsent(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return false;
  return info.tcpi_state != kClosed && info.tcpi_unacked != 0;
}

// Ends the connection, with a reset unless both sides have ended it, and makes the socket fit for the next
// one.
void Disconnect(int socket) {
  sockaddr_storage none{};
  none.ss_family = AF_UNSPEC;
  static_cast<void>(::connect(socket, reinterpret_cast<const sockaddr*>(&none), sizeof none));
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);  // takes what the reset has left
}

}  // namespace

Result<std::vector<PublishedListener>> OpenPublished(const std::vector<PublishedPort>& ports) {
  std::vector<PublishedListener> listeners;
  for (const PublishedPort& port : ports) {
    Result<UniqueFd> socket = Listen(port);
    if (!socket) return socket.error();
    listeners.push_back({std::move(*socket), port});
  }
  return listeners;
}

// One connection from the host.
class Publisher::Visit : public ProxiedConnection {
 public:
  Visit(Publisher& publisher, UniqueFd visitor, const PublishedPort& port)
      : ProxiedConnection(publisher.services_,
                          [&publisher](const ProxiedConnection& ended) { publisher.visits_.erase(&ended); }),
        publisher_(publisher) {
    outer_->end.socket = std::move(visitor);
    record_.event = GatewayEvent::kPublished;
    record_.time_ms = WallClockMs();
    record_.port = port.guest;
    record_.pointer = port.pointer;
  }

  void Start() {
    record_.address = IpAddress::V4(kLoopback).Text();
    if (publisher_.inside4_.empty()) return Refuse("too many connections");
    Connect(IpAddress::V4(kLoopback));
    if (!ended_ && !Watch(outer_, false)) Refuse(std::strerror(errno));
  }

 private:
  GatewayRecord& Record() override { return record_; }

  bool Connected(const Side& side) override {
    if (connected_ || &side != inner_.get()) return connected_;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(inner_->end.socket.Get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) {
      OnFailed(error);
      return false;
    }
    record_.verdict = RuleAction::kAllow;
    return connected_ = true;
  }

  void OnFinish() override { GiveBack(); }

  // NOLINTNEXTLINE(misc-no-recursion): twice at most: each of the two addresses once
  void Connect(const IpAddress& loopback) {
    record_.address = loopback.Text();
    inner_->end.socket = publisher_.Take(loopback.ipv6);
    const int inside = inner_->end.socket.Get();
    const SocketAddress target = ToSocketAddress({loopback, record_.port}, loopback.ipv6);
    if (inside < 0) return Refuse(std::strerror(ECONNREFUSED));
    if (::connect(inside, target.Get(), target.size) != 0 && errno != EINPROGRESS) return OnFailed(errno);
    if (!Watch(inner_, false)) Refuse(std::strerror(errno));
  }

  // A server may listen on the loopback address of IPv6 alone.
  // NOLINTNEXTLINE(misc-no-recursion): the same
  void OnFailed(int error) {
    if (error != ECONNREFUSED || record_.address == IpAddress::Loopback6().Text()) {
      return Refuse(std::strerror(error));
    }
    GiveBack();
    inner_->owner.reset();
    services_.loop.DeferDeletion(std::exchange(inner_, std::make_shared<Side>()));
    Connect(IpAddress::Loopback6());
  }

  void GiveBack() {
    if (!inner_->end.socket) return;
    services_.loop.Unwatch(inner_->end.socket.Get());
    publisher_.Recycle(std::move(inner_->end.socket), !out_.done || !in_.done);
  }

  Publisher& publisher_;
  GatewayRecord record_;
  bool connected_ = false;
};

class Publisher::Inlet : public Watcher {
 public:
  Inlet(Publisher& publisher, PublishedListener listener)
      : publisher_(publisher), listener_(std::move(listener)) {}

  [[nodiscard]] int Get() const { return listener_.socket.Get(); }
  void OnEvents(std::uint32_t /*events*/) override {
    for (int i = 0; i < kAcceptsPerTurn; ++i) {
      UniqueFd visitor{::accept4(Get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
      if (!visitor) return;
      publisher_.OnAccepted(std::move(visitor), listener_.port);
    }
  }

 private:
  Publisher& publisher_;
  PublishedListener listener_;
};

Publisher::Publisher(Services& services, std::vector<UniqueFd> inside) : services_(services) {
  for (UniqueFd& socket : inside) Give(std::move(socket));
}
Publisher::~Publisher() = default;

// The family of a socket is that of its address, also before it is bound.
void Publisher::Give(UniqueFd socket) {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  ::getsockname(socket.Get(), reinterpret_cast<sockaddr*>(&own), &size);
  (own.ss_family == AF_INET6 ? inside6_ : inside4_).push_back(std::move(socket));
}

UniqueFd Publisher::Take(bool ipv6) {
  std::vector<UniqueFd>& pool = ipv6 ? inside6_ : inside4_;
  if (pool.empty()) return {};
  UniqueFd socket = std::move(pool.back());
  pool.pop_back();
  return socket;
}

void Publisher::Recycle(UniqueFd socket, bool reset) {
  if (!reset && HasUnsent(socket.Get())) {
    draining_.push_back(std::move(socket));
    return drain_.Set(services_.loop, kDrainMs, [this] { Drain(); });
  }
  Disconnect(socket.Get());
  Give(std::move(socket));
}

void Publisher::Drain() {
  for (UniqueFd& socket : std::exchange(draining_, {})) Recycle(std::move(socket), false);
}

bool Publisher::Add(PublishedListener listener) {
  inlets_.push_back(std::make_shared<Inlet>(*this, std::move(listener)));
  return services_.loop.Watch(inlets_.back()->Get(), EPOLLIN, *inlets_.back());
}

void Publisher::OnAccepted(UniqueFd visitor, const PublishedPort& port) {
  auto visit = std::make_shared<Visit>(*this, std::move(visitor), port);
  visits_.emplace(visit.get(), visit);
  visit->Start();
}

bool Publisher::Sends(std::uint64_t stalled_ms) const {
  return std::any_of(visits_.begin(), visits_.end(),
                     [&](const auto& entry) { return entry.second->Sends(stalled_ms); });
}

void Publisher::EndAll() {
  const auto visits = std::exchange(visits_, {});
  for (const auto& [key, visit] : visits) visit->EndWithSandbox();
}

}  // namespace mxc::egress
