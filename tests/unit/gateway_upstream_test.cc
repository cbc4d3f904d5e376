// Destinations that are reached through a proxy of the host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/support/network_world.h"

namespace mxc::gateway_upstream_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// What a proxy is asked: up to the end of the head.
std::string Head(int connection) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string next = Receive(connection, 1);
    if (next.size() != 1) break;
    head += next;
  }
  return head;
}

// Opens everything but refused.test, and says at once, in the same segment, what it was asked. What it says
// before the client's bytes have come would be judged as a greeting: it leaves them time.
void Proxy(int connection) {
  const std::string head = Head(connection);
  if (head.starts_with("CONNECT refused.test:")) return SendText(connection, "HTTP/1.1 403 No\r\n\r\nsorry");
  if (head.starts_with("CONNECT mute.test:")) return;
  constexpr useconds_t kForTheClientUs = 100000;
  ::usleep(kForTheClientUs);
  SendText(connection, "HTTP/1.1 200 OK\r\nX: y\r\n\r\n" + head);
  const std::string said = ReceiveAll(connection);
  if (said.ends_with("|end")) SendText(connection, said);
}

EgressRules Through(const std::string& host, const std::vector<std::string>& names) {
  EgressRules rules = AllowHosts(names);
  rules.upstream = {.pointer = "/upstream",
                    .others = UpstreamProxy{
                        .host = host, .port = 3128, .credentials = Secret{"a:b"}, .variable = "HTTPS_PROXY"}};
  return rules;
}

// All that comes back, having said `text`.
std::string Say(const std::string& address, std::uint16_t port, const std::string& text) {
  const UniqueFd socket = Connect(address, port);
  SendText(socket.Get(), text);
  ::shutdown(socket.Get(), SHUT_WR);
  return ReceiveAll(socket.Get());
}

// Nothing is said: a reset may come before it could be.
std::string Hear(const std::string& address, std::uint16_t port) {
  return ReceiveAll(Connect(address, port).Get());
}

std::string Asked(const std::string& authority) {
  return "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority +
         "\r\nProxy-Authorization: Basic YTpi\r\n\r\n";
}

TEST(GatewayUpstream, TheNameGoesToTheProxyAndIsNotResolvedHere) {
  for (const std::string host : {"203.0.113.9", "localhost", "2001:db8::9", "proxy.test"}) {
    InWorld([&](World& world) {
      world.Serve(host == "localhost"    ? "127.0.0.1"
                  : host == "proxy.test" ? "203.0.113.9"
                                         : host,
                  3128, Proxy);
      world.Name("proxy.test", {"203.0.113.9"});
      EgressRules rules = Through(host, {"a.test"});
      rules.allow[0].to.push_back({.cidr = "203.0.113.1"});
      rules.allow[0].to.push_back({.cidr = "2001:db8::1"});
      world.Start(rules);
      world.Inside([] {
        const std::string name = Ask("a.test").at(0);
        const std::string get = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
        EXPECT_EQ(Say(name, 22, get), Asked("a.test:22") + get + "|end|end");
        EXPECT_EQ(Say("203.0.113.1", 443, "x"), Asked("203.0.113.1:443") + "x|end|end");
        EXPECT_EQ(Say("2001:db8::1", 443, "x"), Asked("[2001:db8::1]:443") + "x|end|end");
        EXPECT_EQ(Try("203.0.113.2", 443), "ECONNREFUSED");
      });
      const std::string through = "allow through the proxy of HTTPS_PROXY";
      EXPECT_THAT(Reasons(world.Finish()),
                  testing::UnorderedElementsAre(through, through, through, "deny no rule allows it"));
      EXPECT_THAT(world.Asked(), testing::Each("proxy.test"));
    });
  }
}

TEST(GatewayUpstream, WhatItOpensWithIsLookedAtAsEver) {
  InWorld([](World& world) {
    world.Serve("203.0.113.9", 3128, Proxy);
    world.Start(Through("203.0.113.9", {"a.test", "refused.test", "mute.test"}));
    world.Inside([] {
      const std::string get = "GET / HTTP/1.1\r\nHost: ";
      const std::string name = Ask("a.test").at(0);
      EXPECT_EQ(Say(name, 8080, get + "a.test\r\n\r\n"),
                Asked("a.test:8080") + get + "a.test\r\n\r\n|end|end");
      EXPECT_TRUE(Say(name, 8080, get + "b.test\r\n\r\n").ends_with("|ECONNRESET"));
      EXPECT_EQ(Hear(Ask("refused.test").at(0), 22), "|ECONNRESET");
      EXPECT_EQ(Hear(Ask("mute.test").at(0), 22), "|ECONNRESET");
    });
    EXPECT_THAT(
        Reasons(world.Finish()),
        ElementsAre("allow through the proxy of HTTPS_PROXY", "deny it opens with the name b.test",
                    "deny the proxy refuses it: status 403", "deny the proxy has closed the connection"));
    EXPECT_THAT(world.Asked(), IsEmpty());
  });
}

TEST(GatewayUpstream, ExceptionsAndTheHostsLoopbackAreDialledAndUdpIsRefused) {
  InWorld([](World& world) {
    world.Serve("203.0.113.9", 3128, Proxy);
    world.Serve("203.0.113.1", 22, CountBytes);
    world.Serve("127.0.0.1", 22, CountBytes);
    world.Name("a.corp.test", {"203.0.113.1"});
    world.Name("inner.corp.test", {"10.0.0.1"});
    EgressRules rules = Through("203.0.113.9", {"a.corp.test", "inner.corp.test", "b.test"});
    rules.upstream.direct = {"corp.test"};
    rules.host_loopback = RuleAction::kAllow;
    world.Start(rules);
    world.Inside([] {
      EXPECT_EQ(Say(Ask("a.corp.test").at(0), 22, "SSH-2.0-x\r\n"), "11|end");
      EXPECT_EQ(Say("198.18.0.1", 22, "four"), "4|end");
      EXPECT_EQ(Hear(Ask("inner.corp.test").at(0), 22), "|ECONNRESET");  // judged, because we dial it
      EXPECT_EQ(Try(Ask("b.test").at(0), 9, SOCK_DGRAM), "EPERM");
    });
    EXPECT_THAT(
        Reasons(world.Finish()),
        testing::UnorderedElementsAre(
            "allow ", "allow ", "deny always blocked: private network",
            "deny datagrams cannot be checked for the name they are sent to: programs fall back to TCP, and "
            "`inspect: \"none\"` in a rule lets them pass"));
  });
}

TEST(GatewayUpstream, AProxyThatIsNotThere) {
  InWorld([](World& world) {
    world.Name("none.test", {});
    world.Start(Through("none.test", {"a.test"}));
    world.Inside([] { EXPECT_EQ(Hear(Ask("a.test").at(0), 22), "|ECONNRESET"); });
    EXPECT_THAT(Reasons(world.Finish()), ElementsAre("deny the name of the upstream proxy has no address"));
  });
}

}  // namespace
}  // namespace mxc::gateway_upstream_test
