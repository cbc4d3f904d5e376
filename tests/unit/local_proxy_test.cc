// The gateway as a proxy on the loopback: what clients get of it, with servers on this machine.
#include "gateway/local_proxy/local_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "gateway/local_proxy/plain_sockets_posix.h"
#include "gateway/local_proxy/proxy_request.h"

namespace mxc::egress::local_proxy_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr int kWaitMs = 10000;
constexpr std::uint32_t kThisMachine = 0x7f000001;

// What comes until `end` stands in it, or the connection ends.
std::string Receive(int socket, const std::string& end) {
  std::string text;
  while (text.find(end) == std::string::npos) {
    std::array<char, 4096> buffer{};
    if (!Await(socket, POLLIN, kWaitMs)) return text + " (nothing more came)";
    const ssize_t count = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

// Takes one connection, hears until `end`, answers, and says what it has heard.
class Server {
 public:
  explicit Server(std::string end, std::string answer = "answer")
      : listener_(ListenOnLoopback(0)), thread_([this, end = std::move(end), answer = std::move(answer)] {
          if (!Await(listener_.Get(), POLLIN, kWaitMs)) return;
          const UniqueFd socket{::accept(listener_.Get(), nullptr, nullptr)};
          heard_ = Receive(socket.Get(), end);
          SendAll(socket.Get(), answer);
        }) {}
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    if (thread_.joinable()) thread_.join();
  }
  [[nodiscard]] std::uint16_t Port() const { return PortOf(listener_.Get()); }
  [[nodiscard]] std::string Place() const { return "127.0.0.1:" + std::to_string(Port()); }
  std::string Heard() {
    thread_.join();
    return heard_;
  }

 private:
  UniqueFd listener_;
  std::string heard_;
  std::thread thread_;
};

// A port at which nobody listens.
std::uint16_t FreePort() { return PortOf(ListenOnLoopback(0).Get()); }

EgressRules Allowing(std::uint16_t port) {
  return {.egress_pointer = "/egress",
          .allow = {{.to = {{.cidr = "127.0.0.1/32"}},
                     .ports = {{.protocol = Protocol::kTcp, .first = port, .last = port}},
                     .pointer = "/allow/0"}}};
}

// Names of this machine lead to its loopback, which takes a rule of its own.
EgressRules AllowingName(std::uint16_t port) {
  EgressRules rules = Allowing(port);
  rules.allow[0].to.push_back({.host = "localhost"});
  return rules;
}

class Running {
 public:
  explicit Running(const EgressRules& rules) : proxy_(LocalProxy::Start(rules)) {
    EXPECT_TRUE(proxy_) << proxy_.error().message;
  }
  UniqueFd Connect() {
    Reached reached = DialFirst({{IpAddress::V4(kThisMachine), proxy_->Port()}});
    EXPECT_TRUE(reached.socket);
    return std::move(reached.socket);
  }
  std::string Ask(const std::string& text, const std::string& until = "\x01never") {
    const UniqueFd socket = Connect();
    SendAll(socket.Get(), text);
    return Receive(socket.Get(), until);
  }
  GatewayRecord Record() {
    if (!Await(proxy_->Descriptor(), POLLIN, kWaitMs)) return {.reason = "no record"};
    std::vector<GatewayRecord> records = proxy_->TakeRecords();
    EXPECT_EQ(records.size(), 1U);
    return records.empty() ? GatewayRecord{} : records[0];
  }
  LocalProxy& Proxy() { return *proxy_; }

 private:
  Result<LocalProxy> proxy_;
};

TEST(LocalProxy, TunnelsToWhatIsAllowed) {
  Server server("ping");
  Running running(Allowing(server.Port()));
  const UniqueFd client = running.Connect();
  SendAll(client.Get(), "CONNECT " + server.Place() + " HTTP/1.1\r\nHost: " + server.Place() + "\r\n\r\n");
  EXPECT_THAT(Receive(client.Get(), "\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  SendAll(client.Get(), "ping");
  EXPECT_EQ(Receive(client.Get(), "answer"), "answer");
  EXPECT_EQ(server.Heard(), "ping");
  ::shutdown(client.Get(), SHUT_WR);
  const GatewayRecord record = running.Record();
  EXPECT_EQ(record.verdict, RuleAction::kAllow);
  EXPECT_EQ(record.pointer, "/allow/0");
  EXPECT_EQ(record.address, "127.0.0.1");
  EXPECT_EQ(record.port, server.Port());
  EXPECT_EQ(record.bytes_out, 4U);
  EXPECT_EQ(record.bytes_in, 6U);
}

TEST(LocalProxy, ForwardsOneRequestAndNothingBehindIt) {
  Server server("body", "HTTP/1.1 200 OK\r\n\r\nyes");
  Running running(Allowing(server.Port()));
  const std::string answer =
      running.Ask("POST http://" + server.Place() + "/a?b HTTP/1.1\r\nHost: " + server.Place() +
                  "\r\nProxy-Connection: keep-alive\r\nContent-Length: 4\r\n\r\nbody"
                  "GET http://" +
                  server.Place() + "/second HTTP/1.1\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("yes"));
  EXPECT_EQ(server.Heard(), "POST /a?b HTTP/1.1\r\nHost: " + server.Place() +
                                "\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody");
}

TEST(LocalProxy, RefusesWhatNoRuleAllows) {
  const std::uint16_t port = FreePort();
  Running running(Allowing(port));
  const std::string other = "127.0.0.2:" + std::to_string(port);
  EXPECT_THAT(running.Ask("CONNECT " + other + " HTTP/1.1\r\nHost: " + other + "\r\n\r\n"),
              StartsWith("HTTP/1.1 403 Forbidden\r\n"));
  GatewayRecord record = running.Record();
  EXPECT_EQ(record.verdict, RuleAction::kDeny);
  EXPECT_EQ(record.address, "127.0.0.2");
  EXPECT_THAT(record.reason, HasSubstr("always blocked: loopback"));
  EXPECT_THAT(running.Ask("GET http://unnamed.example/ HTTP/1.1\r\nHost: unnamed.example\r\n\r\n"),
              StartsWith("HTTP/1.1 403 "));
  record = running.Record();
  EXPECT_EQ(record.name, "unnamed.example");
  EXPECT_EQ(record.pointer, "/egress");
}

TEST(LocalProxy, SaysThatNobodyAnswers) {
  const std::uint16_t port = FreePort();
  Running running(Allowing(port));
  const std::string place = "127.0.0.1:" + std::to_string(port);
  EXPECT_THAT(running.Ask("CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n\r\n"),
              StartsWith("HTTP/1.1 502 "));
}

TEST(LocalProxy, IsSpokenToAsAProxyOrNotAtAll) {
  Running running(Allowing(FreePort()));
  EXPECT_THAT(running.Ask("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(running.Ask("SSH-2.0-x\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(running.Ask("CONNECT host HTTP/1.1\r\nHost: host\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST(LocalProxy, ARequestIsForTheHostItIsSentTo) {
  const std::uint16_t port = FreePort();
  Server server("\r\n\r\n");
  Running running(AllowingName(server.Port()));
  const std::string place = "localhost:" + std::to_string(server.Port());
  EXPECT_THAT(running.Ask("GET http://" + place + "/ HTTP/1.1\r\nHost: other.example\r\n\r\n"),
              HasSubstr("it opens with the name other.example"));
  EXPECT_EQ(server.Heard(), "");
  EXPECT_EQ(running.Record().verdict, RuleAction::kDeny);
  EXPECT_NE(port, server.Port());
}

// A rule that names a host lets no other be asked for through its tunnel.
TEST(LocalProxy, ATunnelIsForTheHostItWasAskedFor) {
  Server server("\r\n\r\n");
  Running running(AllowingName(server.Port()));
  const std::string place = "localhost:" + std::to_string(server.Port());
  const UniqueFd client = running.Connect();
  SendAll(client.Get(), "CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n\r\n");
  EXPECT_THAT(Receive(client.Get(), "\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  SendAll(client.Get(), "GET / HTTP/1.1\r\nHost: other.example\r\n\r\n");
  EXPECT_EQ(Receive(client.Get(), "answer"), "");
  EXPECT_EQ(server.Heard(), "");
  const GatewayRecord record = running.Record();
  EXPECT_EQ(record.verdict, RuleAction::kDeny);
  EXPECT_EQ(record.reason, "it opens with the name other.example");
}

TEST(LocalProxy, TheHostsLoopbackHasAName) {
  Server server("ping");
  EgressRules rules{.host_loopback_pointer = "/loopback"};
  const std::string place = std::string(kHostLoopbackName) + ":" + std::to_string(server.Port());
  const std::string request = "CONNECT " + place + " HTTP/1.1\r\nHost: " + place + "\r\n\r\n";
  EXPECT_THAT(Running(rules).Ask(request), StartsWith("HTTP/1.1 403 "));
  rules.host_loopback = RuleAction::kAllow;
  Running running(rules);
  const UniqueFd client = running.Connect();
  SendAll(client.Get(), request);
  EXPECT_THAT(Receive(client.Get(), "\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  SendAll(client.Get(), "ping");
  EXPECT_EQ(Receive(client.Get(), "answer"), "answer");
}

TEST(LocalProxy, LeadsToTheOneProxyOfAPolicy) {
  Server server("\r\n\r\n");
  Running running({.proxy = OnlyProxy{.host = "127.0.0.1", .port = server.Port(), .pointer = "/proxy"}});
  const std::string request = "CONNECT far.example:443 HTTP/1.1\r\nHost: far.example:443\r\n\r\n";
  EXPECT_EQ(running.Ask(request, "answer"), "answer");
  EXPECT_EQ(server.Heard(), request);
}

TEST(LocalProxy, PublishesAPort) {
  Server server("ping");
  const std::uint16_t port = FreePort();
  Running running({.publish = {{.host = port, .guest = server.Port(), .pointer = "/publish/0"}}});
  Reached reached = DialFirst({{IpAddress::V4(kThisMachine), port}});
  ASSERT_TRUE(reached.socket);
  SendAll(reached.socket.Get(), "ping");
  EXPECT_EQ(Receive(reached.socket.Get(), "answer"), "answer");
  ::shutdown(reached.socket.Get(), SHUT_WR);
  EXPECT_EQ(running.Record().event, GatewayEvent::kPublished);
  const Result<LocalProxy> second =
      LocalProxy::Start({.publish = {{.host = port, .guest = server.Port(), .pointer = "/publish/0"}}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().pointer, "/publish/0");
}

TEST(LocalProxy, EndsItsConnectionsWithTheRun) {
  Server server("ping");
  std::optional<Running> running(std::in_place, Allowing(server.Port()));
  const UniqueFd client = running->Connect();
  SendAll(client.Get(), "CONNECT " + server.Place() + " HTTP/1.1\r\nHost: " + server.Place() + "\r\n\r\n");
  EXPECT_THAT(Receive(client.Get(), "\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  running.reset();
  EXPECT_EQ(Receive(client.Get(), "x"), "");
  EXPECT_EQ(server.Heard(), "");
}

TEST(ProxyRequest, IsTheServersOwn) {
  EXPECT_EQ(RequestForServer("\n\r\r\nGET http://a.b/ HTTP/1.1\r\n\r\n"),
            "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(RequestForServer("GET http://a.b HTTP/1.0\r\n\r\n"),
            "GET / HTTP/1.0\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(RequestForServer("GET http://a.b?c=/d HTTP/1.1\nHost: a.b\nTE: x\nUPGRADE: h2c\n\n"),
            "GET /?c=/d HTTP/1.1\r\nHost: a.b\r\nConnection: close\r\n\r\n");
}

}  // namespace
}  // namespace mxc::egress::local_proxy_test
