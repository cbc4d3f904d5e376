#include "gateway/relay/connection_linux.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "gateway/net/sockets_linux.h"

namespace mxc::egress {

namespace {

constexpr int kReadsPerTurn = 4;  // then others have their turn

}  // namespace

Connection::Connection(Services& services, UniqueFd socket, const IpEndpoint& meant, int buffer_bytes,
                       OnEnd on_end)
    : ProxiedConnection(services, std::move(on_end)),
      destination_(services, GatewayEvent::kConnection, Protocol::kTcp, meant),
      buffer_bytes_(buffer_bytes) {
  inner_->end.socket = std::move(socket);
  if (buffer_bytes_ != 0) LimitBuffers(inner_->end.socket.Get(), buffer_bytes_);
}

void Connection::Start() {
  destination_.Find([this](const std::vector<IpEndpoint>& endpoints) { OnEndpoints(endpoints); });
}

void Connection::OnEndpoints(const std::vector<IpEndpoint>& endpoints) {
  if (ended_) return;
  if (endpoints.empty()) return Refuse({});
  if (!Watch(inner_, false)) return Refuse(std::strerror(errno));
  dial_.emplace(services_.loop, endpoints, [this](Dialled result) { OnDialled(std::move(result)); });
  dial_->Start();
}

void Connection::OnDialled(Dialled result) {
  const std::shared_ptr<ProxiedConnection> self = shared_from_this();
  const std::string problem = result.socket ? "" : std::strerror(result.error);
  dialled_ = result.endpoint;
  dial_.reset();
  if (!result.socket || destination_.Ask().empty()) return OnReached(std::move(result), problem);
  tunnel_ = std::make_shared<Tunnel>(
      services_.loop, std::move(result), destination_.Ask(),
      [this](Dialled reached, std::string_view why) { OnReached(std::move(reached), why); });
  tunnel_->Start();
}

void Connection::OnReached(Dialled result, std::string_view problem) {
  const std::shared_ptr<ProxiedConnection> self = shared_from_this();
  const bool again = client_.has_value();
  if (!result.socket) {
    if (again) return Abort(problem);
    if (destination_.Ask().empty()) Record().address = result.endpoint.address.Text();
    Record().pointer.clear();
    return Refuse(problem);
  }
  if (tunnel_ == nullptr) Record().address = result.endpoint.address.Text();
  if (tunnel_ != nullptr) services_.loop.DeferDeletion(std::move(tunnel_));
  Record().verdict = RuleAction::kAllow;
  outer_->end.socket = std::move(result.socket);
  outer_->end.writable = true;
  result.endpoint.address.IsLoopback() ? PrepareRelayedNear(outer_->end.socket.Get())
                                       : PrepareRelayed(outer_->end.socket.Get());
  if (buffer_bytes_ != 0) LimitBuffers(outer_->end.socket.Get(), buffer_bytes_);
  if (again) {
    client_->Client().OnAnotherServer();
  } else if (destination_.MustBeChecked()) {
    client_.emplace(
        services_.rules,
        HostNameFilter::Host{
            .name = destination_.Name(), .port = destination_.Port(), .strict = destination_.Strict()},
        [this] { return services_.resolver.Texts(); });
    out_.allowance = 0;
    in_.allowance = 0;
  }
  if (!Watch(outer_, true)) return Abort(std::strerror(errno));
  if (again && !Judged(client_->Hear({}))) return;
  Advance();
}

// Whether the server has answered every request that was sent, and nothing of the answers is under way.
bool Connection::IsAnswered() const {
  char next = 0;
  const bool more = ::recv(outer_->end.socket.Get(), &next, sizeof next, MSG_PEEK) > 0;
  return unsent_.empty() && out_.held == 0 && in_.held == 0 && in_.bytes > answered_ && !more;
}

// To the address of the first connection, which has been judged.
void Connection::Reconnect() {
  if (in_.done) return Abort("reset");
  if (!IsAnswered())
    return Refuse("it asks for a WebSocket or with Expect before an earlier request is answered");
  outer_->end.socket.Reset();
  outer_->owner.reset();
  services_.loop.DeferDeletion(std::exchange(outer_, std::make_shared<Side>()));
  in_.allowance = 0;
  dial_.emplace(services_.loop, std::vector{dialled_},
                [this](Dialled result) { OnDialled(std::move(result)); });
  dial_->Start();
}

void Connection::OnFinish() {
  dial_.reset();
  if (tunnel_ == nullptr) return;
  tunnel_->Abandon();
  services_.loop.DeferDeletion(std::move(tunnel_));
}

bool Connection::Connected(const Side& /*side*/) { return static_cast<bool>(outer_->end.socket); }

bool Connection::Admit() {
  if (!Connected(*outer_) || !Flush()) return false;
  if (!client_ || out_.allowance > 0 || out_.held > 0) return true;
  return Listen() && !ended_;
}

void Connection::LetPass() {
  client_.reset();
  out_.allowance = UINT64_MAX;
  in_.allowance = UINT64_MAX;
}

// Acts on a judgement of what was received. False: the connection has ended.
bool Connection::Judged(const std::string& problem) {
  if (!problem.empty()) {
    Refuse(problem);
    return false;
  }
  const Bytes passed = client_->Client().Take();
  unsent_.insert(unsent_.end(), passed.begin(), passed.end());
  if (!passed.empty()) answered_ = in_.bytes;
  if (client_->Client().WantsServer() && in_.allowance == UINT64_MAX) in_.allowance = 0;  // once more
  if (client_->Client().WantsAnotherServer()) {
    Reconnect();
    return false;
  }
  const bool ended = client_ended_ && !client_->Client().Holds();
  if (client_->Client().Free() || ended) LetPass();
  inner_->end.ended = inner_->end.ended || ended;
  return true;
}

// After a call on one of the sockets has failed: by errno.
void Connection::Fail(bool& ready) {
  ready = false;
  if (errno != EAGAIN) Abort("reset");
}

// Reads the client's bytes instead of peeking at them, so that the bytes judged are the bytes forwarded.
// True: further bytes may be relayed without a look at them.
bool Connection::Listen() {
  std::array<std::uint8_t, 16384> buffer{};
  for (int i = 0; i < kReadsPerTurn; ++i) {
    out_.allowance = client_->Client().Unread();
    client_->Client().Skip(out_.allowance);
    if (out_.allowance > 0) return true;
    if (!inner_->end.readable || client_ended_ || client_->Client().IsFull()) return false;
    const ssize_t count = ::recv(inner_->end.socket.Get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      Fail(inner_->end.readable);
      return false;
    }
    client_ended_ = count == 0;
    const std::string problem =
        client_ended_ ? client_->End() : client_->Hear({buffer.data(), static_cast<std::size_t>(count)});
    if (!Judged(problem) || !Flush()) return false;
    if (!client_) return true;
    if (services_.loop.IsTurnLong()) break;
  }
  Resume();
  return false;
}

// Reads the server's first bytes before they are relayed: they may name the protocol, and with it what the
// client may send.
bool Connection::AdmitAnswer() {
  if (!client_ || in_.held > 0) return true;
  if (!client_->Client().WantsServer()) in_.allowance = UINT64_MAX;
  if (in_.allowance > 0) return true;
  std::array<std::uint8_t, 256> buffer{};
  ssize_t count = -1;
  do {
    if (!outer_->end.readable) return false;
    count = ::recv(outer_->end.socket.Get(), buffer.data(), buffer.size(), MSG_PEEK);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno == EAGAIN) {
    outer_->end.readable = false;
    return false;
  }
  if (count <= 0) {  // the relay meets the error or the end itself
    in_.allowance = UINT64_MAX;
    return true;
  }
  in_.allowance = static_cast<std::uint64_t>(count);
  return Judged(client_->HearServer({buffer.data(), static_cast<std::size_t>(count)}));
}

bool Connection::Flush() {
  while (!unsent_.empty() && outer_->end.writable) {
    const ssize_t count = ::send(outer_->end.socket.Get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      Fail(outer_->end.writable);
      break;
    }
    out_.bytes += static_cast<std::uint64_t>(count);
    unsent_.erase(unsent_.begin(), unsent_.begin() + count);
  }
  return unsent_.empty() && !ended_;
}

}  // namespace mxc::egress
