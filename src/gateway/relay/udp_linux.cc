#include "gateway/relay/udp_linux.h"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "gateway/inspect/encrypted_datagram.h"
#include "gateway/net/packet.h"
#include "gateway/net/sockets_linux.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxPending = 8;             // datagrams that wait for a name's address
constexpr std::size_t kMaxPendingBytes = 4 << 20;  // of all flows; more are lost, as datagrams may be
constexpr int kDatagramsPerTurn = 64;
constexpr std::string_view kHidesName =
    "it begins QUIC or DTLS, whose name is not looked at; programs fall back to TCP";

}  // namespace

void ReportRefusedName(Services& services, const DnsReply& reply) {
  services.reporter.Report({.time_ms = WallClockMs(),
                            .event = GatewayEvent::kName,
                            .verdict = RuleAction::kDeny,
                            .name = reply.name,
                            .pointer = std::string(reply.judgement.pointer),
                            .reason = std::string(reply.judgement.reason)});
}

void AnswerSockets::Send(const IpEndpoint& to, ByteView packet) const {
  const SocketAddress address = ToSocketAddress({to.address, 0}, to.address.ipv6);
  const UniqueFd& socket = to.address.ipv6 ? raw6 : raw4;
  // A datagram that cannot be delivered is lost, as any may be.
  (void)::sendto(socket.Get(), packet.data(), packet.size(), MSG_DONTWAIT | MSG_NOSIGNAL, address.Get(),
                 address.size);
}

// ---- one flow --------------------------------------------------------------------------------------------

class UdpFlow : public Watcher {
 public:
  UdpFlow(UdpGate& gate, UdpGate::Key key)
      : gate_(gate),
        key_(std::move(key)),
        destination_(gate.services_, GatewayEvent::kFlow, Protocol::kUdp, key_.second) {}

  void Start() {
    destination_.Find([this](const std::vector<IpEndpoint>& endpoints) { Open(endpoints); });
  }

  void Send(ByteView payload) {
    active_ms_ = gate_.services_.loop.NowMs();
    if (!socket_) {
      if (pending_.size() >= kMaxPending || gate_.pending_bytes_ + payload.size() > kMaxPendingBytes) return;
      gate_.pending_bytes_ += payload.size();
      pending_.emplace_back(payload.begin(), payload.end());
      return;
    }
    if (destination_.MustBeChecked() && BeginsEncryption(payload, destination_.Port()))
      return Refuse(kHidesName, payload.size());
    const ssize_t count = ::send(socket_.Get(), payload.data(), payload.size(), MSG_NOSIGNAL);
    if (count >= 0) destination_.Record().bytes_out += static_cast<std::uint64_t>(count);
    if (count < 0 && errno == ECONNREFUSED) Unreachable(payload.size());
  }

  void OnEvents(std::uint32_t /*events*/) override {
    std::array<std::uint8_t, 65536> buffer{};
    for (int i = 0; i < kDatagramsPerTurn && socket_; ++i) {
      const ssize_t count = ::recv(socket_.Get(), buffer.data(), buffer.size(), 0);
      if (count < 0 && errno == ECONNREFUSED) Unreachable(0);
      if (count < 0) return;
      active_ms_ = gate_.services_.loop.NowMs();
      destination_.Record().bytes_in += static_cast<std::uint64_t>(count);
      const ByteView payload(buffer.data(),
                             std::min<std::size_t>(static_cast<std::size_t>(count), kMaxDatagram));
      gate_.answers_.Send(key_.first, UdpPacket(key_.second, key_.first, payload));
    }
  }

  [[nodiscard]] std::uint64_t ActiveMs() const { return active_ms_; }
  [[nodiscard]] bool Waits() const { return !pending_.empty(); }

  void End() {
    if (reported_) return;
    reported_ = true;
    (void)TakePending();
    destination_.Record().duration_ms = WallClockMs() - destination_.Record().time_ms;
    gate_.services_.reporter.Report(destination_.Record());
    socket_.Reset();
  }

 private:
  // The first address that this host has a route to, of the family the program chose if there is one: nothing
  // tells whether a datagram has arrived, so there is no second try.
  void Open(std::vector<IpEndpoint> endpoints) {
    std::stable_partition(endpoints.begin(), endpoints.end(), [this](const IpEndpoint& endpoint) {
      return endpoint.address.ipv6 == key_.second.address.ipv6;
    });
    const std::size_t size = pending_.empty() ? 0 : pending_.front().size();
    int error = 0;
    for (const IpEndpoint& endpoint : endpoints) {
      UniqueFd socket = MakeSocket(endpoint.address, SOCK_DGRAM);
      const SocketAddress address = ToSocketAddress(endpoint, endpoint.address.ipv6);
      destination_.Record().address = endpoint.address.Text();
      if (!socket || ::connect(socket.Get(), address.Get(), address.size) != 0) {
        error = errno;
        continue;
      }
      destination_.Record().verdict = RuleAction::kAllow;
      socket_ = std::move(socket);
      if (!gate_.services_.loop.Watch(socket_.Get(), EPOLLIN, *this))
        return Refuse(std::strerror(errno), size);
      for (const Bytes& payload : TakePending()) {
        if (socket_) Send(payload);
      }
      return;
    }
    Refuse(error == 0 ? std::string_view() : std::strerror(error), size);
  }

  void Refuse(std::string_view reason, std::size_t size) {
    destination_.Record().verdict = RuleAction::kDeny;
    if (!reason.empty()) destination_.Record().reason = reason;
    Unreachable(size);
    End();
    gate_.Drop(key_);
  }

  std::vector<Bytes> TakePending() {
    for (const Bytes& payload : pending_) gate_.pending_bytes_ -= payload.size();
    return std::exchange(pending_, {});
  }

  void Unreachable(std::size_t size) const {
    gate_.answers_.Send(key_.first, UnreachablePacket(key_.first, key_.second, size));
  }

  UdpGate& gate_;
  UdpGate::Key key_;
  Destination destination_;
  UniqueFd socket_;
  std::vector<Bytes> pending_ = {};
  std::uint64_t active_ms_ = 0;
  bool reported_ = false;
};

// ---- datagrams from inside -------------------------------------------------------------------------------

class UdpGate::Inlet : public Watcher {
 public:
  Inlet(UdpGate& gate, UniqueFd socket) : gate_(gate), socket_(std::move(socket)) {}
  [[nodiscard]] int Get() const { return socket_.Get(); }

  void OnEvents(std::uint32_t /*events*/) override {
    for (int i = 0; i < kDatagramsPerTurn; ++i) {
      if (!ReceiveOne()) return;
    }
  }

 private:
  bool ReceiveOne() {
    std::array<std::uint8_t, 65536> buffer{};
    alignas(cmsghdr) std::array<char, 256> control{};
    sockaddr_storage source{};
    iovec bytes{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_name = &source;
    message.msg_namelen = sizeof source;
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t count = ::recvmsg(socket_.Get(), &message, 0);
    if (count < 0) return errno == EINTR;
    const auto client = FromSocketAddress(source);
    const auto meant = OriginalDestination(message);
    if (client && meant) gate_.OnDatagram(*client, *meant, {buffer.data(), static_cast<std::size_t>(count)});
    return true;
  }

  // IP_RECVORIGDSTADDR is the only control message that the socket asks for.
  static std::optional<IpEndpoint> OriginalDestination(const msghdr& message) {
    const cmsghdr* part = CMSG_FIRSTHDR(&message);
    if (part == nullptr) return std::nullopt;
    const bool four = part->cmsg_level == SOL_IP && part->cmsg_type == IP_ORIGDSTADDR;
    const bool six = part->cmsg_level == SOL_IPV6 && part->cmsg_type == IPV6_ORIGDSTADDR;
    if (!four && !six) return std::nullopt;
    sockaddr_storage storage{};
    std::memcpy(&storage, CMSG_DATA(part), four ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
    return FromSocketAddress(storage);
  }

  UdpGate& gate_;
  UniqueFd socket_;
};

UdpGate::UdpGate(Services& services, AnswerSockets answers, std::size_t limit)
    : services_(services), answers_(std::move(answers)), limit_(limit) {}
UdpGate::~UdpGate() = default;

bool UdpGate::Add(UniqueFd socket) {
  inlets_.push_back(std::make_shared<Inlet>(*this, std::move(socket)));
  return services_.loop.Watch(inlets_.back()->Get(), EPOLLIN, *inlets_.back());
}

void UdpGate::OnDatagram(const IpEndpoint& client, const IpEndpoint& meant, ByteView payload) {
  if (meant.port == kDnsPort) return AnswerDns(client, meant, payload);
  const Key key{client, meant};
  auto found = flows_.find(key);
  if (found == flows_.end()) {
    if (flows_.size() >= limit_) MakeRoom();
    found = flows_.emplace(key, std::make_shared<UdpFlow>(*this, key)).first;
    const std::shared_ptr<UdpFlow> flow = found->second;
    flow->Send(payload);  // queued until Start has found the address
    return flow->Start();
  }
  const std::shared_ptr<UdpFlow> flow = found->second;
  flow->Send(payload);
}

void UdpGate::AnswerDns(const IpEndpoint& client, const IpEndpoint& meant, ByteView query) {
  const DnsReply reply = services_.dns.Answer(query);
  if (reply.refused) ReportRefusedName(services_, reply);
  services_.announcer.Announce(reply);
  if (!reply.message.empty()) answers_.Send(client, UdpPacket(meant, client, reply.message));
}

// A program that asks from a new port each time leaves flows behind that nothing will use again.
void UdpGate::MakeRoom() {
  const auto silent = std::min_element(flows_.begin(), flows_.end(), [](const auto& a, const auto& b) {
    return a.second->ActiveMs() < b.second->ActiveMs();
  });
  silent->second->End();
  Drop(silent->first);
}

void UdpGate::Drop(const Key& key) {
  const auto found = flows_.find(key);
  if (found == flows_.end()) return;
  services_.loop.DeferDeletion(std::move(found->second));
  flows_.erase(found);
}

void UdpGate::Sweep(std::uint64_t idle_ms) {
  const std::uint64_t now_ms = services_.loop.NowMs();
  for (auto at = flows_.begin(); at != flows_.end();) {
    const auto flow = at++;
    if (now_ms - flow->second->ActiveMs() <= idle_ms) continue;
    flow->second->End();
    Drop(flow->first);
  }
}

bool UdpGate::Sends(std::uint64_t stalled_ms) const {
  const std::uint64_t now_ms = services_.loop.NowMs();
  return std::any_of(inlets_.begin(), inlets_.end(),
                     [](const auto& inlet) { return IsReadable(inlet->Get()); }) ||
         std::any_of(flows_.begin(), flows_.end(), [&](const auto& entry) {
           return entry.second->Waits() && now_ms - entry.second->ActiveMs() < stalled_ms;
         });
}

void UdpGate::EndAll() {
  for (const auto& [key, flow] : flows_) flow->End();
}

}  // namespace mxc::egress
