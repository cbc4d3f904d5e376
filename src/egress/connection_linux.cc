#include "egress/connection_linux.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace mxc::egress {

Connection::Connection(Services& services, UniqueFd socket, const IpEndpoint& meant, OnEnd on_end)
    : Pair(services, std::move(on_end)),
      destination_(services, GatewayEvent::kConnection, Protocol::kTcp, meant) {
  inner_->end.socket = std::move(socket);
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
  const std::shared_ptr<Pair> self = shared_from_this();
  if (!result.socket) {
    Record().pointer.clear();
    return Refuse(std::strerror(result.error));
  }
  Record().address = result.endpoint.address.Text();
  Record().verdict = Verdict::kAllow;
  dial_.reset();
  outer_->end.socket = std::move(result.socket);
  outer_->end.writable = true;
  if (destination_.MustBeChecked()) opening_.emplace();
  if (!Watch(outer_, true)) return Abort(std::strerror(errno));
  Advance();
}

bool Connection::Connected(const Side& /*side*/) { return static_cast<bool>(outer_->end.socket); }

bool Connection::Admit() { return FlushOpening() && (!opening_ || PassOpening()) && !ended_; }

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

}  // namespace mxc::egress
