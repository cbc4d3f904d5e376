#include "gateway/relay/tunnel_linux.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "gateway/rules/upstream.h"

namespace mxc::egress {
namespace {

constexpr std::uint64_t kProxyPatienceMs = 60000;  // the proxy resolves and dials meanwhile

}  // namespace

Tunnel::Tunnel(Loop& loop, Dialled proxy, std::string request, Callback callback)
    : loop_(loop), proxy_(std::move(proxy)), unsent_(std::move(request)), callback_(std::move(callback)) {}

void Tunnel::Start() {
  patience_.Set(loop_, kProxyPatienceMs, [this] { Finish("the proxy does not answer"); });
  // Edge-triggered: the answer is read with MSG_PEEK, and what is left in the socket would wake the loop
  // again and again.
  if (!loop_.Rewatch(proxy_.socket.Get(), kSocketEdges, *this)) Finish("the proxy cannot be watched");
}

void Tunnel::OnEvents(std::uint32_t /*events*/) {
  if (!callback_) return;
  if (!unsent_.empty()) return Send();
  Receive();
}

void Tunnel::Send() {
  const ssize_t count = ::send(proxy_.socket.Get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) return Finish("the proxy has closed the connection");
  unsent_.erase(0, static_cast<std::size_t>(count));
}

// Takes the head only. The bytes behind it are the destination's and stay in the socket.
void Tunnel::Receive() {
  std::array<char, kMaxConnectAnswer> buffer{};
  const ssize_t count = ::recv(proxy_.socket.Get(), buffer.data(), buffer.size(), MSG_PEEK);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return Finish("the proxy has closed the connection");
  const ConnectAnswer answer = ReadConnectAnswer({buffer.data(), static_cast<std::size_t>(count)});
  switch (answer.state) {
    case ConnectAnswer::State::kMore:
      return;
    case ConnectAnswer::State::kRefused:
      if (answer.status == 0) return Finish("the proxy speaks no HTTP");
      return Finish("the proxy refuses it: status " + std::to_string(answer.status));
    case ConnectAnswer::State::kOpen:
      break;
  }
  const bool taken =
      ::recv(proxy_.socket.Get(), buffer.data(), answer.size, 0) == static_cast<ssize_t>(answer.size);
  Finish(taken ? std::string_view() : "the proxy has closed the connection");
}

void Tunnel::Abandon() {
  patience_.Cancel();
  callback_ = nullptr;
  proxy_.socket.Reset();
}

void Tunnel::Finish(std::string_view problem) {
  patience_.Cancel();
  if (!problem.empty()) proxy_.socket.Reset();
  const Callback callback = std::exchange(callback_, nullptr);
  if (callback) callback(std::move(proxy_), problem);
}

}  // namespace mxc::egress
