#include "gateway/dns/dns_question_linux.h"

#include <sys/epoll.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <utility>

#include "gateway/net/sockets_linux.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxMessage = 65535;

}  // namespace

// A new socket has a port of the kernel's choice, a new question an id of its own: together they are what a
// forger would have to guess.
bool Question::Open(int type) {
  const IpEndpoint server{conf_.servers[tries_ % conf_.servers.size()], kDnsPort};
  socket_ = MakeSocket(server.address, type);
  if (!socket_ || ::getrandom(&id_, sizeof id_, 0) != static_cast<ssize_t>(sizeof id_)) return false;
  const SocketAddress address = ToSocketAddress(server, server.address.ipv6);
  if (::connect(socket_.Get(), address.Get(), address.size) != 0 && errno != EINPROGRESS) return false;
  const std::uint32_t events = type == SOCK_STREAM ? EPOLLIN | EPOLLOUT : EPOLLIN;
  return loop_.Watch(socket_.Get(), events, *this);
}

void Question::Ask() {
  tcp_ = false;
  timer_.Set(loop_, conf_.timeout_ms, [this] { Next(); });
  if (!Open(SOCK_DGRAM)) return loop_.Defer([this] { Next(); });
  const Bytes message = WriteQuestion(id_, name_, type_);
  // A refusal shows as an error event or at the next read.
  (void)::send(socket_.Get(), message.data(), message.size(), MSG_NOSIGNAL);
}

void Question::Cancel() {
  callback_ = nullptr;
  socket_.Reset();
  timer_.Cancel();
}

void Question::Next() {
  socket_.Reset();
  if (!callback_) return;
  if (++tries_ >= conf_.servers.size() * conf_.attempts) return Done(std::nullopt);
  Ask();
}

void Question::Done(const std::optional<DnsResponse>& response) {
  socket_.Reset();
  timer_.Cancel();
  if (callback_) std::exchange(callback_, nullptr)(response);
}

void Question::OnEvents(std::uint32_t events) {
  if (!socket_) return;
  if (!tcp_) return ReadUdp();
  if ((events & EPOLLOUT) != 0) Send();
  if (socket_ && (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0) ReadTcp();
}

void Question::ReadUdp() {
  std::array<std::uint8_t, 4096> buffer{};
  for (int i = 0; i < 16 && socket_ && !tcp_; ++i) {
    const ssize_t count = ::recv(socket_.Get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count < 0) return Next();  // ECONNREFUSED and its like: no server there
    Take({buffer.data(), static_cast<std::size_t>(count)});
  }
}

void Question::Take(ByteView message) {
  const std::optional<DnsResponse> response = ReadResponse(message, id_, name_, type_);
  if (!response) return tcp_ ? Next() : void();  // over UDP: from somebody else, the answer may still come
  if (response->truncated && !tcp_) {
    tcp_ = true;
    received_.clear();
    if (!Open(SOCK_STREAM)) return Next();
    unsent_ = WriteQuestion(id_, name_, type_);
    const auto size = static_cast<unsigned>(unsent_.size());
    unsent_.insert(unsent_.begin(), {static_cast<std::uint8_t>(size >> 8U), static_cast<std::uint8_t>(size)});
    return;
  }
  if (response->code != DnsCode::kNoError && response->code != DnsCode::kNoSuchName) return Next();
  Done(response);
}

void Question::Send() {
  if (unsent_.empty()) return;
  const ssize_t count = ::send(socket_.Get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) return Next();
  unsent_.erase(unsent_.begin(), unsent_.begin() + count);
  if (!unsent_.empty()) return;
  loop_.Unwatch(socket_.Get());
  if (!loop_.Watch(socket_.Get(), EPOLLIN, *this)) Next();
}

void Question::ReadTcp() {
  std::array<std::uint8_t, 4096> buffer{};
  const ssize_t count = ::recv(socket_.Get(), buffer.data(), buffer.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0 || received_.size() > kMaxMessage) return Next();
  received_.insert(received_.end(), buffer.begin(), buffer.begin() + count);
  if (received_.size() < 2) return;
  const std::size_t size = (std::size_t{received_[0]} << 8U) | received_[1];
  if (received_.size() >= size + 2) Take(ByteView(received_).subspan(2, size));
}

}  // namespace mxc::egress
