#include "gateway/relay/tcp_linux.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "gateway/net/sockets_linux.h"
#include "gateway/relay/udp_linux.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxDnsConnections = 64;
constexpr std::uint64_t kDnsIdleMs = 10000;  // RFC 7766, 6.2.3: seconds
// Pause after accept4 has failed for lack of descriptors: the listener stays readable and would keep the loop
// busy.
constexpr std::uint64_t kBreatheMs = 20;
constexpr std::string_view kTooMany = "too many connections";

// What the kernel may keep for a socket of one more connection. A command may open any number and read from
// none: a few are as fast as the host's own, all of them together hold what docs/policy/network.md says.
int BufferBytes(std::size_t connections) {
  constexpr std::size_t kFast = 16;
  constexpr std::size_t kOrdinary = 256;
  if (connections <= kFast) return 0;
  return connections <= kOrdinary ? 1 << 18 : 1 << 15;
}

}  // namespace

// ---- DNS over TCP: each message has its length before it ------------------------------------------------

class DnsConnection : public Watcher {
 public:
  DnsConnection(TcpGate& gate, UniqueFd socket) : gate_(gate), socket_(std::move(socket)) {}

  void Start() {
    if (!gate_.services_.loop.Watch(socket_.Get(), EPOLLIN, *this)) return End();
    Wait();
  }

  void OnEvents(std::uint32_t /*events*/) override {
    std::array<std::uint8_t, 4096> buffer{};
    const ssize_t count = ::recv(socket_.Get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return End();
    received_.insert(received_.end(), buffer.begin(), buffer.begin() + count);
    Wait();
    while (received_.size() >= 2) {
      const std::size_t size = (std::size_t{received_[0]} << 8U) | received_[1];
      if (received_.size() < size + 2) return;
      const bool sent = Answer(ByteView(received_).subspan(2, size));
      if (!sent) return End();
      received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(size + 2));
    }
  }

 private:
  void Wait() {
    timer_.Set(gate_.services_.loop, kDnsIdleMs, [this] { End(); });
  }

  // False, which ends the connection, for a client that does not read its answers of a few hundred bytes.
  bool Answer(ByteView query) {
    const DnsReply reply = gate_.services_.dns.Answer(query);
    if (reply.refused) ReportRefusedName(gate_.services_, reply);
    gate_.services_.announcer.Announce(reply);
    if (reply.message.empty()) return false;
    Bytes message = {static_cast<std::uint8_t>(reply.message.size() >> 8U),
                     static_cast<std::uint8_t>(reply.message.size())};
    message.insert(message.end(), reply.message.begin(), reply.message.end());
    const ssize_t sent = ::send(socket_.Get(), message.data(), message.size(), MSG_NOSIGNAL);
    return sent == static_cast<ssize_t>(message.size());
  }

  void End() {
    timer_.Cancel();
    socket_.Reset();
    const auto found = gate_.dns_.find(this);
    if (found == gate_.dns_.end()) return;
    gate_.services_.loop.DeferDeletion(std::move(found->second));
    gate_.dns_.erase(found);
  }

  TcpGate& gate_;
  UniqueFd socket_;
  Timer timer_;
  Bytes received_ = {};
};

// ---- listeners -------------------------------------------------------------------------------------------

class TcpGate::Inlet : public Watcher {
 public:
  Inlet(TcpGate& gate, UniqueFd listener) : gate_(gate), listener_(std::move(listener)) { Spare(); }

  [[nodiscard]] bool Listen() { return gate_.services_.loop.Watch(listener_.Get(), EPOLLIN, *this); }
  [[nodiscard]] bool HasMore() const { return IsReadable(listener_.Get()); }

  // Accepts one connection in a turn: another one makes the next epoll_wait return at once, which costs no
  // more than an accept4 that fails.
  void OnEvents(std::uint32_t /*events*/) override {
    UniqueFd socket{::accept4(listener_.Get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (socket) return gate_.OnAccepted(std::move(socket));
    if (errno == EMFILE && spare_) return RefuseOne();
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      gate_.services_.loop.Unwatch(listener_.Get());
      breathe_.Set(gate_.services_.loop, kBreatheMs, [this] { (void)Listen(); });
    }
  }

 private:
  void Spare() { spare_.Reset(::fcntl(listener_.Get(), F_DUPFD_CLOEXEC, 0)); }

  // No descriptor is left: the connection must not wait for one without an answer.
  void RefuseOne() {
    spare_.Reset();
    UniqueFd socket{::accept4(listener_.Get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
    if (socket) gate_.OnNoRoom(std::move(socket));
    Spare();
  }

  TcpGate& gate_;
  UniqueFd listener_;
  UniqueFd spare_ = {};  // a descriptor to give up
  Timer breathe_;
};

TcpGate::TcpGate(Services& services, std::size_t limit) : services_(services), limit_(limit) {}
TcpGate::~TcpGate() = default;

bool TcpGate::Add(UniqueFd listener) {
  inlets_.push_back(std::make_shared<Inlet>(*this, std::move(listener)));
  return inlets_.back()->Listen();
}

std::shared_ptr<Connection> TcpGate::Keep(UniqueFd socket, const IpEndpoint& meant) {
  auto connection =
      std::make_shared<Connection>(services_, std::move(socket), meant, BufferBytes(connections_.size() + 1),
                                   [this](const ProxiedConnection& ended) { connections_.erase(&ended); });
  connections_.emplace(connection.get(), connection);
  return connection;
}

void TcpGate::OnNoRoom(UniqueFd socket) {
  const std::optional<IpEndpoint> meant = LocalEndpoint(socket.Get());
  if (!meant || meant->port == kDnsPort) return CloseWithReset(socket);
  Keep(std::move(socket), *meant)->Abort(kTooMany);
}

void TcpGate::OnAccepted(UniqueFd socket) {
  const std::optional<IpEndpoint> meant = LocalEndpoint(socket.Get());
  if (!meant) return CloseWithReset(socket);
  if (meant->port == kDnsPort) {
    if (dns_.size() >= kMaxDnsConnections) return CloseWithReset(socket);
    auto connection = std::make_shared<DnsConnection>(*this, std::move(socket));
    dns_.emplace(connection.get(), connection);
    return connection->Start();
  }
  const std::shared_ptr<Connection> connection = Keep(std::move(socket), *meant);
  connections_.size() > limit_ ? connection->Abort(kTooMany) : connection->Start();
}

void TcpGate::Sweep(std::uint64_t idle_ms) {
  const std::uint64_t now_ms = services_.loop.NowMs();
  std::vector<std::shared_ptr<Connection>> silent;
  for (const auto& [key, connection] : connections_) {
    if (now_ms - connection->IdleSinceMs() > idle_ms) silent.push_back(connection);
  }
  for (const auto& connection : silent) connection->Abort("idle for too long");
}

bool TcpGate::Sends(std::uint64_t stalled_ms) const {
  const auto sends = [&](const auto& entry) { return entry.second->Sends(stalled_ms); };
  return std::any_of(inlets_.begin(), inlets_.end(), [](const auto& inlet) { return inlet->HasMore(); }) ||
         std::any_of(connections_.begin(), connections_.end(), sends);
}

void TcpGate::EndAll() {
  const auto connections = std::exchange(connections_, {});
  for (const auto& [key, connection] : connections) connection->EndWithSandbox();
}

}  // namespace mxc::egress
