#include "gateway/relay/proxied_connection_linux.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <utility>

namespace mxc::egress {
void ProxiedConnection::Side::OnEvents(std::uint32_t events) {
  if (const std::shared_ptr<ProxiedConnection> pair = owner.lock()) pair->OnSide(*this, events);
}

ProxiedConnection::ProxiedConnection(Services& services, OnEnd on_end)
    : services_(services), on_end_(std::move(on_end)), active_ms_(services.loop.NowMs()) {}

bool ProxiedConnection::Watch(const std::shared_ptr<Side>& side, bool again) {
  const int socket = side->end.socket.Get();
  side->owner = weak_from_this();
  return again ? services_.loop.Rewatch(socket, kSocketEdges, *side)
               : services_.loop.Watch(socket, kSocketEdges, *side);
}

void ProxiedConnection::OnSide(Side& side, std::uint32_t events) {
  if (ended_) return;
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) != 0) side.end.readable = true;
  if ((events & (EPOLLOUT | EPOLLHUP)) != 0) side.end.writable = true;
  const bool connected = Connected(side);
  if (ended_ || side.owner.expired()) return;
  if ((events & EPOLLERR) != 0) return Abort(connected ? "reset" : "the other side gave up");
  if (connected) services_.loop.IsTurnLong() ? Resume() : Advance();
}

void ProxiedConnection::Advance() {
  active_ms_ = services_.loop.NowMs();
  RelayResult in = RelayResult::kWaiting;
  if (AdmitAnswer()) in = Carry(outer_->end, inner_->end, in_, services_.pipes);
  if (ended_) return;
  RelayResult out = RelayResult::kWaiting;
  if (in != RelayResult::kBroken && Admit()) {
    out = Carry(inner_->end, outer_->end, out_, services_.pipes);
  }
  if (ended_) return;
  if (in == RelayResult::kBroken || out == RelayResult::kBroken) return Abort("reset");
  if (in == RelayResult::kDone && out == RelayResult::kDone) return Finish();
  if (in == RelayResult::kMoreWork || out == RelayResult::kMoreWork) Resume();
}

void ProxiedConnection::Resume() {
  if (std::exchange(scheduled_, true)) return;
  services_.loop.Defer([self = weak_from_this()] {
    const std::shared_ptr<ProxiedConnection> pair = self.lock();
    if (!pair || pair->ended_) return;
    pair->scheduled_ = false;
    pair->Advance();
  });
}

void ProxiedConnection::Refuse(std::string_view reason) {
  Record().verdict = RuleAction::kDeny;
  Abort(reason);
}

void ProxiedConnection::Abort(std::string_view reason) {
  if (ended_) return;
  if (!reason.empty()) Record().reason = reason;
  for (const std::shared_ptr<Side>& side : {inner_, outer_}) {
    if (!side->end.socket) continue;
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(side->end.socket.Get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  Finish();
}

void ProxiedConnection::EndWithSandbox() { out_.done ? Finish() : Abort("the sandbox has ended"); }

void ProxiedConnection::Finish() {
  const std::shared_ptr<ProxiedConnection> self = shared_from_this();
  ended_ = true;
  GatewayRecord& record = Record();
  record.bytes_out = out_.bytes;
  record.bytes_in = in_.bytes;
  record.duration_ms = WallClockMs() - record.time_ms;
  services_.reporter.Report(record);
  OnFinish();
  for (const std::shared_ptr<Side>& side : {inner_, outer_}) {
    side->end.socket.Reset();
    services_.loop.DeferDeletion(side);
  }
  on_end_(*this);
}

}  // namespace mxc::egress
