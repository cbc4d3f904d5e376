#include "gateway/relay/dial_linux.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "gateway/net/sockets_linux.h"

namespace mxc::egress {
namespace {

constexpr std::uint64_t kStaggerMs = 250;     // RFC 8305, 5
constexpr std::uint64_t kPatienceMs = 30000;  // of the whole: longer than three lost SYN

}  // namespace

std::vector<IpEndpoint> InterleaveFamilies(const std::vector<IpEndpoint>& endpoints) {
  std::vector<IpEndpoint> six;
  std::vector<IpEndpoint> four;
  for (const IpEndpoint& endpoint : endpoints) (endpoint.address.ipv6 ? six : four).push_back(endpoint);
  std::vector<IpEndpoint> mixed;
  for (std::size_t i = 0; i < std::max(six.size(), four.size()); ++i) {
    if (i < six.size()) mixed.push_back(six[i]);
    if (i < four.size()) mixed.push_back(four[i]);
  }
  return mixed;
}

class Dial::Attempt : public Watcher {
 public:
  Attempt(Dial& dial, const IpEndpoint& endpoint) : dial_(&dial), endpoint_(endpoint) {}

  // errno of what failed at once, 0 while it is under way.
  int Begin(const Loop& loop) {
    socket_ = MakeSocket(endpoint_.address, SOCK_STREAM);
    if (!socket_) return errno;
    const SocketAddress address = ToSocketAddress(endpoint_, endpoint_.address.ipv6);
    if (::connect(socket_.Get(), address.Get(), address.size) != 0 && errno != EINPROGRESS) return errno;
    return loop.Watch(socket_.Get(), EPOLLOUT, *this) ? 0 : errno;
  }
  void OnEvents(std::uint32_t /*events*/) override {
    if (dial_ == nullptr) return;
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket_.Get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    dial_->OnResult(*this, error);
  }
  void Abandon() {
    dial_ = nullptr;
    socket_.Reset();
  }
  [[nodiscard]] const IpEndpoint& Endpoint() const { return endpoint_; }
  [[nodiscard]] Dialled Take() { return {.socket = std::move(socket_), .endpoint = endpoint_}; }

 private:
  Dial* dial_;  // absent: abandoned
  IpEndpoint endpoint_;
  UniqueFd socket_;
};

Dial::Dial(Loop& loop, const std::vector<IpEndpoint>& endpoints, Callback callback)
    : loop_(loop), endpoints_(endpoints), callback_(std::move(callback)) {}

Dial::~Dial() {
  for (auto& attempt : attempts_) {
    attempt->Abandon();
    loop_.DeferDeletion(std::move(attempt));
  }
}

void Dial::Start() {
  patience_.Set(loop_, kPatienceMs,
                [this] { Finish({.endpoint = endpoints_[next_ - 1], .error = ETIMEDOUT}); });
  Next();
}

void Dial::Next() {
  while (next_ < endpoints_.size()) {
    const IpEndpoint& endpoint = endpoints_[next_++];
    auto attempt = std::make_shared<Attempt>(*this, endpoint);
    const int error = attempt->Begin(loop_);
    if (error == 0) {
      attempts_.push_back(std::move(attempt));
      if (next_ < endpoints_.size()) stagger_.Set(loop_, kStaggerMs, [this] { Next(); });
      return;
    }
    last_failed_ = {.endpoint = endpoint, .error = error};
  }
  if (failed_ < attempts_.size()) return;
  // By a timer, so that Start never calls back itself.
  patience_.Set(loop_, 0, [this] { Finish(std::move(last_failed_)); });
}

void Dial::OnResult(Attempt& attempt, int error) {
  if (error == 0) return Finish(attempt.Take());
  attempt.Abandon();
  ++failed_;
  last_failed_ = {.endpoint = attempt.Endpoint(), .error = error};
  Next();
}

// The callback may destroy this.
void Dial::Finish(Dialled result) {
  patience_.Cancel();
  stagger_.Cancel();
  const Callback callback = std::exchange(callback_, nullptr);
  if (callback) callback(std::move(result));
}

}  // namespace mxc::egress
