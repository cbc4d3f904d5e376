#include "gateway/local_proxy/proxy_client_posix.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "gateway/inspect/host_name_filter.h"
#include "gateway/inspect/http_body.h"
#include "gateway/local_proxy/bidirectional_copy_posix.h"
#include "gateway/local_proxy/plain_sockets_posix.h"
#include "gateway/local_proxy/proxy_request.h"

namespace mxc::egress {
namespace {

constexpr int kHeadMs = 30000;
constexpr std::size_t kMaxRecords = 4096;  // that nobody has taken yet
constexpr std::uint32_t kLoopback = 0x7f000001;

std::uint64_t Milliseconds(auto duration) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

std::uint64_t SteadyMs() { return Milliseconds(std::chrono::steady_clock::now().time_since_epoch()); }

// A socket that the end of the run shuts down, so that a thread that waits for it goes on.
class Held {
 public:
  Held(ProxyState& state, UniqueFd socket) : state_(state), socket_(std::move(socket)) {
    const std::lock_guard lock(state_.mutex);
    state_.sockets.insert(socket_.Get());
    if (state_.stopped) ::shutdown(socket_.Get(), SHUT_RDWR);
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    const std::lock_guard lock(state_.mutex);
    state_.sockets.erase(socket_.Get());
    socket_.Reset();
  }
  [[nodiscard]] int Get() const { return socket_.Get(); }

 private:
  ProxyState& state_;
  UniqueFd socket_;
};

// Passes the body of a request to its server, and no byte behind it. `held`: the beginning of a line.
Passed PassBody(HttpBody& body, Bytes& held, ByteView bytes) {
  if (body.Done()) return {.last = true};
  held.insert(held.end(), bytes.begin(), bytes.end());
  const std::size_t used = body.Feed(held);
  if (body.Malformed()) return {.problem = std::string(kMalformedBody)};
  Passed passed{.bytes = Bytes(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(used)),
                .last = body.Done()};
  held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(used));
  return passed;
}

Passed PassAll(ByteView bytes) { return {.bytes = Bytes(bytes.begin(), bytes.end())}; }

// One connection to the proxy.
class ProxyClient {
 public:
  ProxyClient(ProxyState& state, UniqueFd socket) : state_(state), client_(state, std::move(socket)) {
    record_.event = GatewayEvent::kConnection;
    record_.time_ms = Milliseconds(std::chrono::system_clock::now().time_since_epoch());
  }

  void Serve() {
    const std::optional<OnlyProxy>& proxy = state_.rules.Proxy();
    if (proxy) return Carry(proxy->host, proxy->port);
    if (!ReadHead()) return;
    Carry(head_.Hosts().front(), head_.Port());
  }

  // The other way: from a port of the host to one of the command's.
  void Publish(std::uint16_t port) {
    record_.event = GatewayEvent::kPublished;
    record_.port = port;
    Reached reached = DialFirst({{IpAddress::V4(kLoopback), port}});
    if (!reached.socket) return Finish(std::strerror(reached.error));
    const Held server(state_, std::move(reached.socket));
    record_.verdict = RuleAction::kAllow;
    BidirectionalCopy relay(client_.Get(), server.Get(), PassAll);
    static_cast<void>(relay.Run());
    Count(relay, "");
  }

 private:
  void Finish(std::string_view reason) {
    record_.reason = reason;
    record_.duration_ms = SteadyMs() - started_ms_;
    state_.Report(std::move(record_));
  }
  void Refuse(std::string_view status, std::string_view reason) {
    record_.verdict = RuleAction::kDeny;
    SendAll(client_.Get(), ProxyAnswer(status, reason));
    Finish(reason);
  }
  void Refuse(const Judgement& judgement) {
    record_.pointer = judgement.pointer;
    Refuse("403 Forbidden", judgement.reason);
  }
  void Count(const BidirectionalCopy& relay, std::string_view problem) {
    record_.bytes_out = record_.event == GatewayEvent::kPublished ? relay.BytesDown() : relay.BytesUp();
    record_.bytes_in = record_.event == GatewayEvent::kPublished ? relay.BytesUp() : relay.BytesDown();
    Finish(problem);
  }

  bool ReadHead() {
    ProtocolSniffer::State state = ProtocolSniffer::State::kMore;
    while (state == ProtocolSniffer::State::kMore) {
      std::array<std::uint8_t, 4096> buffer{};
      if (!Await(client_.Get(), POLLIN, kHeadMs)) return false;
      const ssize_t count = ::recv(client_.Get(), buffer.data(), buffer.size(), 0);
      if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (count <= 0) return false;  // it has asked for nothing
      seen_.insert(seen_.end(), buffer.begin(), buffer.begin() + count);
      state = head_.Feed(ByteView(buffer.data(), static_cast<std::size_t>(count)));
    }
    const bool request = state == ProtocolSniffer::State::kDone && head_.Is() == ProtocolSniffer::Kind::kHttp;
    if (request && head_.Port() != 0) return true;
    Refuse("400 Bad Request", request ? "its request is not of the form that a proxy takes"
                                      : "the client sent no HTTP request to the proxy");
    return false;
  }

  // Where `host` is: empty when it is refused, and that has been said.
  std::vector<IpEndpoint> Find(const std::string& host, std::uint16_t port) {
    record_.port = port;
    if (const auto literal = IpAddress::Parse(host)) {
      record_.address = literal->Text();
      return Judged(state_.rules.JudgeAddress(*literal, Protocol::kTcp, port), {{*literal, port}});
    }
    record_.name = host;
    if (host == kHostLoopbackName) {
      return Judged(state_.rules.JudgeHostLoopback(Protocol::kTcp, port), {{IpAddress::V4(kLoopback), port}});
    }
    const Judgement judgement = state_.rules.JudgeName(host, Protocol::kTcp, port);
    strict_ = judgement.strict;
    checked_ = strict_ || (state_.rules.DeniesNames() && !judgement.uninspected);
    if (!judgement.allowed) return Judged(judgement, {});
    return Answers(host, port, judgement);
  }
  std::vector<IpEndpoint> Judged(const Judgement& judgement, std::vector<IpEndpoint> endpoints) {
    record_.pointer = judgement.pointer;
    if (judgement.allowed) return endpoints;
    Refuse(judgement);
    return {};
  }
  std::vector<IpEndpoint> Answers(const std::string& host, std::uint16_t port, const Judgement& name) {
    std::vector<IpEndpoint> endpoints;
    Judgement refusal{.pointer = name.pointer, .reason = "the name has no address"};
    for (const IpAddress& address : AddressesOf(host)) {
      const Judgement judgement = state_.rules.JudgeAnswer(name, address, Protocol::kTcp, port);
      if (judgement.allowed) {
        endpoints.push_back({address, port});
      } else {
        refusal = judgement;
      }
    }
    const Judgement& verdict = endpoints.empty() ? refusal : name;
    return Judged(verdict, std::move(endpoints));
  }

  void Carry(const std::string& host, std::uint16_t port) {
    const std::vector<IpEndpoint> endpoints = Find(host, port);
    if (endpoints.empty()) return;
    Reached reached = DialFirst(endpoints);
    if (!reached.socket) return Refuse("502 Bad Gateway", std::strerror(reached.error));
    record_.address = reached.address;
    const Held server(state_, std::move(reached.socket));
    if (state_.rules.Proxy()) return Relay(server.Get(), {}, PassAll);
    head_.Connects() ? Tunnel(server.Get(), host, port) : Forward(server.Get(), host, port);
  }

  void Tunnel(int server, const std::string& host, std::uint16_t port) {
    if (!SendAll(client_.Get(), "HTTP/1.1 200 Connection established\r\n\r\n")) return Finish("reset");
    HostNameFilter name_filter(state_.rules, {.name = host, .port = port, .strict = strict_});
    if (!checked_) return Relay(server, {}, PassAll);
    const auto passed = [&](std::string problem) -> Passed {
      if (problem.empty() && name_filter.Client().WantsAnotherServer())
        problem = "it asks for a WebSocket or with Expect on a connection that has carried another request";
      return {.bytes = name_filter.Client().Take(), .problem = std::move(problem)};
    };
    Relay(
        server, {}, [&](ByteView bytes) { return passed(name_filter.Hear(bytes)); },
        [&](ByteView bytes) { return passed(name_filter.HearServer(bytes)); });
  }

  // Every host that the request names is asked for at the server of the first.
  void Forward(int server, const std::string& host, std::uint16_t port) {
    const std::string_view said(reinterpret_cast<const char*>(seen_.data()), head_.Size());
    HostNameFilter name_filter(state_.rules, {.name = host, .port = port, .strict = strict_});
    const std::string problem = name_filter.Hear(ByteView(seen_.data(), head_.Size()));
    if (!problem.empty()) return Refuse("403 Forbidden", problem);
    HttpBody body(head_.Body());
    Bytes held;
    Relay(server, RequestForServer(said), [&](ByteView bytes) { return PassBody(body, held, bytes); });
  }

  void Relay(int server, const std::string& first, std::function<Passed(ByteView)> pass,
             std::function<Passed(ByteView)> answer = {}) {
    record_.verdict = RuleAction::kAllow;
    BidirectionalCopy relay(client_.Get(), server, std::move(pass));
    relay.OnAnswer(std::move(answer));
    relay.Begin(first);
    const std::size_t heard = seen_.empty() ? 0 : head_.Size();
    std::string problem = relay.Hear(ByteView(seen_.data() + heard, seen_.size() - heard));
    if (problem.empty()) problem = relay.Run();
    if (relay.Refused()) record_.verdict = RuleAction::kDeny;
    Count(relay, problem);
  }

  ProxyState& state_;
  Held client_;
  ProtocolSniffer head_;
  Bytes seen_ = {};
  bool strict_ = false;
  bool checked_ = false;
  GatewayRecord record_ = {};
  std::uint64_t started_ms_ = SteadyMs();
};

}  // namespace

void ProxyState::Report(GatewayRecord record) {
  const std::lock_guard lock(mutex);
  const bool written = limit.Look(record, SteadyMs()) == RecordLimit::Fate::kWrite;
  if (!written || records.size() >= kMaxRecords) {
    ++lost;
    return;
  }
  record.lost = std::exchange(lost, 0);
  records.push_back(std::move(record));
  const char byte = 0;
  if (records.size() == 1) static_cast<void>(::write(wake.writing.Get(), &byte, 1) == 1);
}

void ServeProxyClient(ProxyState& state, UniqueFd client) { ProxyClient(state, std::move(client)).Serve(); }

void ServePublished(ProxyState& state, UniqueFd client, std::uint16_t port) {
  ProxyClient(state, std::move(client)).Publish(port);
}

}  // namespace mxc::egress
