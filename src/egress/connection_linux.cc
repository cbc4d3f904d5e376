#include "egress/connection_linux.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "egress/sockets_linux.h"

namespace mxc::egress {
namespace {

constexpr std::uint32_t kEdges = static_cast<std::uint32_t>(EPOLLIN | EPOLLOUT | EPOLLRDHUP) | EPOLLET;

}  // namespace

void Connection::Side::OnEvents(std::uint32_t events) {
  if (const std::shared_ptr<Connection> connection = owner.lock()) connection->OnSide(*this, events);
}

Connection::Connection(Services& services, UniqueFd socket, const IpEndpoint& meant, OnEnd on_end)
    : services_(services),
      on_end_(std::move(on_end)),
      destination_(services, GatewayEvent::kConnection, Protocol::kTcp, meant),
      accepted_(std::move(socket)),
      active_ms_(services.loop.NowMs()) {}

void Connection::Start() {
  inner_->end.socket = std::move(accepted_);
  inner_->owner = outer_->owner = weak_from_this();
  destination_.Find([this](const std::vector<IpEndpoint>& endpoints) { OnEndpoints(endpoints); });
}

void Connection::OnEndpoints(const std::vector<IpEndpoint>& endpoints) {
  if (ended_) return;
  if (endpoints.empty()) return Refuse({});
  if (!services_.loop.Watch(inner_->end.socket.Get(), kEdges, *inner_)) return Refuse(std::strerror(errno));
  dial_.emplace(services_.loop, endpoints, [this](Dialled result) { OnDialled(std::move(result)); });
  dial_->Start();
}

void Connection::OnDialled(Dialled result) {
  const std::shared_ptr<Connection> self = shared_from_this();
  if (result.socket) {
    destination_.Record().address = result.endpoint.address.Text();
  } else {
    destination_.Record().pointer.clear();
    return Refuse(std::strerror(result.error));
  }
  dial_.reset();
  outer_->end.socket = std::move(result.socket);
  for (const std::shared_ptr<Side>& side : {inner_, outer_}) {
    SetOption(side->end.socket.Get(), IPPROTO_TCP, TCP_NODELAY, 1);
    SetOption(side->end.socket.Get(), SOL_SOCKET, SO_KEEPALIVE, 1);
  }
  if (destination_.MustBeChecked()) opening_.emplace();
  destination_.Record().verdict = Verdict::kAllow;
  if (!services_.loop.Rewatch(outer_->end.socket.Get(), kEdges, *outer_)) return Abort(std::strerror(errno));
  outer_->end.writable = true;
  Advance();
}

void Connection::OnSide(Side& side, std::uint32_t events) {
  if (ended_) return;
  if ((events & EPOLLERR) != 0) return Abort(outer_->end.socket ? "reset" : "the program gave up");
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) != 0) side.end.readable = true;
  if ((events & (EPOLLOUT | EPOLLHUP)) != 0) side.end.writable = true;
  if (outer_->end.socket) Advance();
}

void Connection::Advance() {
  active_ms_ = services_.loop.NowMs();
  const RelayResult in = Carry(outer_->end, inner_->end, in_, services_.pipes);
  RelayResult out = RelayResult::kWaiting;
  if (in != RelayResult::kBroken && FlushOpening() && (!opening_ || PassOpening())) {
    if (!ended_) out = Carry(inner_->end, outer_->end, out_, services_.pipes);
  }
  if (ended_) return;
  if (in == RelayResult::kBroken || out == RelayResult::kBroken) return Abort("reset");
  if (in == RelayResult::kDone && out == RelayResult::kDone) return Finish();
  if ((in == RelayResult::kMoreWork || out == RelayResult::kMoreWork) && !scheduled_) {
    scheduled_ = true;
    services_.loop.Defer([self = weak_from_this()] {
      const std::shared_ptr<Connection> owner = self.lock();
      if (!owner || owner->ended_) return;
      owner->scheduled_ = false;
      owner->Advance();
    });
  }
}

// Read, not peeked at: what has been looked at is what is forwarded.
bool Connection::PassOpening() {
  std::array<std::uint8_t, 16384> buffer{};
  while (inner_->end.readable) {
    const ssize_t count = ::recv(inner_->end.socket.Get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      inner_->end.readable = false;
      if (errno != EAGAIN) Abort("reset");
      return false;
    }
    // It ends without having said anything that could be judged: neither could a server.
    if (count == 0) {
      inner_->end.ended = true;
      opening_.reset();
      return true;
    }
    const ByteView chunk(buffer.data(), static_cast<std::size_t>(count));
    const Opening::State state = opening_->Feed(chunk);
    if (!JudgeOpening(state)) return false;
    unsent_.assign(chunk.begin(), chunk.end());
    if (state == Opening::State::kDone) opening_.reset();
    if (!FlushOpening()) return false;
    if (!opening_) return true;
  }
  return false;
}

bool Connection::FlushOpening() {
  while (!unsent_.empty() && outer_->end.writable) {
    const ssize_t count = ::send(outer_->end.socket.Get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      outer_->end.writable = false;
      if (errno != EAGAIN) Abort("reset");
      break;
    }
    out_.bytes += static_cast<std::uint64_t>(count);
    unsent_.erase(unsent_.begin(), unsent_.begin() + count);
  }
  return unsent_.empty() && !ended_;
}

bool Connection::JudgeOpening(Opening::State state) {
  if (state == Opening::State::kMore) return true;
  if (state == Opening::State::kBroken) {
    Refuse(opening_->Problem());
    return false;
  }
  const std::uint16_t port = destination_.Port();
  for (const std::string& host : opening_->Hosts()) {
    if (host == destination_.Name()) continue;
    const bool allowed = destination_.Strict() ? services_.rules.JudgeName(host, Protocol::kTcp, port).allowed
                                               : !services_.rules.Denies(host, Protocol::kTcp, port);
    if (allowed) continue;
    Refuse("it opens with the name " + host);
    return false;
  }
  if (!destination_.Strict() || opening_->Is() != Opening::Kind::kTls) return true;
  if (opening_->Encrypted()) Refuse("its ClientHello is encrypted (ECH) and hides the name");
  if (!ended_ && opening_->Hosts().empty()) Refuse("its ClientHello names no host (SNI)");
  return !ended_;
}

void Connection::Refuse(std::string_view reason) {
  destination_.Record().verdict = Verdict::kDeny;
  Abort(reason);
}

void Connection::Abort(std::string_view reason) {
  if (ended_) return;
  CloseWithReset(accepted_);
  if (!reason.empty()) destination_.Record().reason = reason;
  for (const std::shared_ptr<Side>& side : {inner_, outer_}) CloseWithReset(side->end.socket);
  Finish();
}

void Connection::Finish() {
  const std::shared_ptr<Connection> self = shared_from_this();
  ended_ = true;
  dial_.reset();
  GatewayRecord& record = destination_.Record();
  record.bytes_out = out_.bytes;
  record.bytes_in = in_.bytes;
  record.duration_ms = WallClockMs() - record.time_ms;
  services_.reporter.Report(record);
  for (const std::shared_ptr<Side>& side : {inner_, outer_}) {
    side->end.socket.Reset();
    services_.loop.Bury(side);
  }
  on_end_(*this);
}

}  // namespace mxc::egress
