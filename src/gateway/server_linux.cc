#include "gateway/server_linux.h"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/process_tree.h"
#include "gateway/relay/refusals_linux.h"
#include "gateway/relay/shares.h"
#include "gateway/relay/tcp_linux.h"
#include "gateway/relay/udp_linux.h"
#include "gateway/setup/confine_linux.h"
#include "gateway/setup/listener_handover_linux.h"

namespace mxc::egress {
namespace {

constexpr std::uint64_t kStalledMs = 1000;  // nothing has moved on a connection: it is given up

std::size_t RaiseFileLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

// What the launcher says: marks (MarkRecords), and that the sandbox is gone (FinishGateway). Once its end of
// the records is closed or shut, the gateway ends.
class LauncherWatch : public Watcher {
 public:
  LauncherWatch(int records, std::function<void(std::uint32_t)> on_mark, std::function<void()> on_gone,
                std::function<void()> on_end)
      : records_(records),
        on_mark_(std::move(on_mark)),
        on_gone_(std::move(on_gone)),
        on_end_(std::move(on_end)) {}
  void OnEvents(std::uint32_t events) override {
    std::uint32_t mark = 0;
    ssize_t count = 0;
    while ((count = ::recv(records_, &mark, sizeof mark, MSG_DONTWAIT)) > 0) {
      if (count == sizeof mark) on_mark_(mark);
      if (count == sizeof kSandboxIsGone) on_gone_();
    }
    if ((events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0) on_end_();
  }

 private:
  int records_;  // borrowed
  std::function<void(std::uint32_t)> on_mark_;
  std::function<void()> on_gone_;
  std::function<void()> on_end_;
};

bool HasIpv6(const ReceivedSockets& sockets) {
  return std::any_of(sockets.tcp.begin(), sockets.tcp.end(), [](const UniqueFd& listener) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int got = ::getsockname(listener.Get(), reinterpret_cast<sockaddr*>(&address), &size);
    return got == 0 && address.ss_family == AF_INET6;
  });
}

class Server {
 public:
  Server(ServerStart& start, ReceivedSockets& sockets, const Shares& shares)
      : times_(start.times),
        reporter_(loop_, start.records.Get()),
        resolver_(loop_, start.files, shares.lookups),
        dns_(start.rules, names_, HasIpv6(sockets)),
        announcer_(start.rules, sockets.raw4.Get()),
        services_{loop_, start.rules, names_, dns_, announcer_, resolver_, pipes_, reporter_},
        tcp_(services_, shares.connections),
        udp_(services_, {std::move(sockets.raw4), std::move(sockets.raw6)}, shares.flows),
        refusals_(services_, std::move(sockets.refusals), std::move(sockets.counted)),
        publisher_(services_, std::move(sockets.inside)),
        launcher_(
            start.records.Get(), [this](std::uint32_t mark) { loop_.Defer([this, mark] { Mark(mark); }); },
            [this] { Gone(); }, [this] { loop_.Stop(); }) {}

  [[nodiscard]] bool Open(ServerStart& start, ReceivedSockets& sockets) {
    if (!loop_.Ok() || !loop_.Watch(start.records.Get(), EPOLLIN | EPOLLRDHUP, launcher_)) return false;
    for (UniqueFd& listener : sockets.tcp) {
      if (!tcp_.Add(std::move(listener))) return false;
    }
    for (UniqueFd& socket : sockets.udp) {
      if (!udp_.Add(std::move(socket))) return false;
    }
    if (!refusals_.Open()) return false;
    for (PublishedListener& listener : start.published) {
      if (!publisher_.Add(std::move(listener))) return false;
    }
    Sweep();
    return true;
  }

  // False: not all records have been handed over.
  [[nodiscard]] bool Run() {
    loop_.RunWhile([this] { return !gone_ms_ || Delivers(); });
    refusals_.Drain();
    tcp_.EndAll();
    udp_.EndAll();
    publisher_.EndAll();
    reporter_.Finish();
    return reporter_.Flush();
  }

 private:
  void Gone() {
    gone_ms_ = loop_.NowMs();
    Wake();
  }

  // A stalled connection causes no event, so a timer looks for them.
  void Wake() {
    wake_.Set(loop_, kStalledMs / 10, [this] { Wake(); });
  }

  [[nodiscard]] bool Delivers() const {
    return loop_.NowMs() - *gone_ms_ < kDeliveryMs &&
           (tcp_.Sends(kStalledMs) || udp_.Sends(kStalledMs) || publisher_.Sends(kStalledMs));
  }

  // After the other events of this turn.
  void Mark(std::uint32_t mark) {
    refusals_.Drain();
    reporter_.Mark(mark);
  }

  void Sweep() {
    tcp_.Sweep(times_.connection_idle_ms);
    udp_.Sweep(times_.flow_idle_ms);
    sweep_.Set(loop_, times_.sweep_ms, [this] { Sweep(); });
  }

  GatewayTimes times_;
  Loop loop_;
  SyntheticNames names_;
  PipePool pipes_;
  Reporter reporter_;
  HostResolver resolver_;
  DnsStub dns_;
  Announcer announcer_;
  Services services_;
  TcpGate tcp_;
  UdpGate udp_;
  RefusalLog refusals_;
  Publisher publisher_;
  LauncherWatch launcher_;
  Timer sweep_;
  std::optional<std::uint64_t> gone_ms_ = {};  // when the sandbox was gone
  Timer wake_;
};

}  // namespace

// Ends by _exit: buffers and handlers are copies of the launcher's, which must not run here.
void RunServer(ServerStart start) {
  if (!DieWith(start.parent)) ::_exit(1);
  IgnoreSignals();
  std::vector<int> own = {start.handover.Get(), start.records.Get()};
  for (const PublishedListener& listener : start.published) own.push_back(listener.socket.Get());
  if (!KeepOnly(std::move(own))) ::_exit(1);
  const Shares shares = SharesOf(RaiseFileLimit());
  if (!Confine(start.files)) ::_exit(2);
  std::optional<ReceivedSockets> sockets = ReceiveSockets(start.handover.Get());
  if (!sockets) ::_exit(3);
  Server server(start, *sockets, shares);
  const char ready = 1;
  if (!server.Open(start, *sockets)) ::_exit(4);
  if (::send(start.handover.Get(), &ready, sizeof ready, MSG_NOSIGNAL) != 1) ::_exit(5);
  start.handover.Reset();
  ::_exit(server.Run() ? 0 : 6);
}

}  // namespace mxc::egress
