// What the gateway looks at before it lets a connection's bytes pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "tests/support/counted.h"
#include "tests/support/network_world.h"

namespace mxc::gateway_checks_test {
namespace {

using test::Counted;

using testing::ElementsAre;
using testing::UnorderedElementsAre;

// A ClientHello with these extensions.
std::string Tls(const std::string& extensions) {
  const std::string hello = "\x03\x03" + std::string(32, 'r') + Counted(1, "") + Counted(2, "\x13\x01") +
                            Counted(1, std::string(1, '\0')) + Counted(2, extensions);
  return "\x16\x03\x01" + Counted(2, "\x01" + Counted(3, hello));
}
std::string ServerName(const std::string& name) {
  return std::string(2, '\0') + Counted(2, Counted(2, std::string(1, '\0') + Counted(2, name)));
}

constexpr char kHidden[] =
    "deny its ClientHello may hide another name (ECH): tell the program to send none, a browser of Chromium "
    "with "
    "--disable-features=EncryptedClientHello";

// What a server on a.test, b.test and c.test (one address) makes of these bytes, when a.test and b.test are
// allowed and the connection is to a.test.
std::string SendToA(const std::string& bytes) {
  const UniqueFd socket = Connect("198.18.0.16", 443);
  SendText(socket.Get(), bytes);
  ::shutdown(socket.Get(), SHUT_WR);
  return ReceiveAll(socket.Get());
}
TEST(GatewayChecks, ConnectionsOpenWithTheirName) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 443, CountBytes);
    world.Name("a.test", {"203.0.113.1"});
    world.Start(AllowHosts({"a.test", "b.test"}));
    world.Inside([] {
      ASSERT_THAT(Ask("a.test"), ElementsAre("198.18.0.16"));
      const std::string good = Tls(ServerName("A.test"));
      EXPECT_EQ(SendToA(good), std::to_string(good.size()) + "|end");
      EXPECT_EQ(SendToA(Tls(ServerName("b.test"))), std::to_string(good.size()) + "|end");
      EXPECT_EQ(SendToA(Tls(ServerName("c.test"))), "|ECONNRESET");
      EXPECT_EQ(SendToA(Tls("")), "|ECONNRESET");
      EXPECT_EQ(SendToA(Tls(ServerName("a.test") + "\xfe\x0d" + Counted(2, "x"))), "|ECONNRESET");
      EXPECT_EQ(SendToA("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"), "32|end");
      EXPECT_EQ(SendToA("GET / HTTP/1.1\r\nHost: c.test\r\n\r\n"), "|ECONNRESET");
      EXPECT_EQ(SendToA("CONNECT c.test:443 HTTP/1.1\r\nHost: a.test\r\n\r\n"), "|ECONNRESET");
      EXPECT_EQ(SendToA("SSH-2.0-x\r\n"), "11|end");
      EXPECT_EQ(SendToA("GET"), "|ECONNRESET");
      EXPECT_EQ(SendToA("GET / HTTP/1.0\r\n\r\n"), "|ECONNRESET");
      EXPECT_EQ(SendToA("hello\r\n"), "|ECONNRESET");
      EXPECT_EQ(SendToA(""), "0|end");
    });
    EXPECT_THAT(Reasons(world.Finish()),
                ElementsAre("allow ", "allow ", "deny it opens with the name c.test",
                            "deny its ClientHello names no host (SNI)", kHidden, "allow ",
                            "deny it opens with the name c.test at port 443", "allow ",
                            "deny it ends before its first message is complete",
                            "deny its HTTP request names no host",
                            "deny its first bytes are of no protocol that the gateway can check", "allow ",
                            "deny it opens with the name c.test"));  // of those that came again, once
  });
}

TEST(GatewayChecks, EveryRequestOfAConnectionIsForItsName) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 443, CountBytes);
    world.Name("a.test", {"203.0.113.1"});
    world.Start(AllowHosts({"a.test", "b.test"}));
    world.Inside([] {
      ASSERT_THAT(Ask("a.test"), ElementsAre("198.18.0.16"));
      const std::string a = "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nhello";  // 57 bytes
      const std::string b = "POST / HTTP/1.1\r\nHost: b.test\r\nTransfer-Encoding: chunked\r\n\r\n";  // 61
      const std::string c = "GET / HTTP/1.1\r\nHost: c.test\r\n\r\n";
      ASSERT_EQ(a.size() + b.size(), 118U);
      EXPECT_EQ(SendToA(a + b + "3\r\nabc\r\n0\r\n\r\n" + a), std::to_string(2 * 57 + 61 + 13) + "|end");
      EXPECT_EQ(SendToA(a + c), "|ECONNRESET");
      EXPECT_EQ(SendToA(b + "3\r\nabc\r\n0\r\n\r\n" + c), "|ECONNRESET");
      EXPECT_EQ(SendToA(b + "zz\r\n" + c), "|ECONNRESET");
      EXPECT_EQ(SendToA(a + "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "|ECONNRESET");
    });
    EXPECT_THAT(Reasons(world.Finish()),
                ElementsAre("allow ", "deny a later request is for the name c.test",
                            "deny the body of its HTTP request is malformed",
                            "deny it speaks HTTP/2 without TLS, which cannot be checked",
                            "deny a later request is for the name c.test"));
  });
}

const std::string kAgreement =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";

// Answers requests until the connection ends. The body of an ordinary answer looks like the head of a 101.
void AnswerRequests(int connection) {
  for (;;) {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      head += Receive(connection, 1);
      if (head.ends_with("|end") || head.ends_with("|ECONNRESET")) return;
    }
    if (head.starts_with("GET /socket")) {
      SendText(connection, kAgreement);
      SendText(connection, "said " + Receive(connection, 4));
      return;
    }
    SendText(connection, "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\nHTTP/1.1 101 OK\n");
  }
}

TEST(GatewayChecks, AWebSocketMayFollowOtherRequests) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, AnswerRequests);
    world.Name("a.test", {"203.0.113.1"});
    world.Start(AllowHosts({"a.test"}));
    world.Inside([] {
      const std::string name = Ask("a.test").at(0);
      const std::string get = "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n";
      const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\nHTTP/1.1 101 OK\n";
      const auto ask = [](const std::string& path) {
        return "GET " + path +
               " HTTP/1.1\r\nHost: a.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
      };
      const UniqueFd agreed = Connect(name, 80);
      for (const std::string& request : {get, get, ask("/"), ask("/"), get}) {
        SendText(agreed.Get(), request);
        ASSERT_EQ(Receive(agreed.Get(), answer.size()), answer);
      }
      SendText(agreed.Get(), ask("/socket") + "\x81\x80me");
      EXPECT_EQ(ReceiveAll(agreed.Get()), kAgreement + "said \x81\x80me|end");
      const UniqueFd declined = Connect(name, 80);
      for (const std::string& request : {get, ask("/")}) {
        SendText(declined.Get(), request);
        ASSERT_EQ(Receive(declined.Get(), answer.size()), answer);
      }
      SendText(declined.Get(), "\x81\x80me\r\n");
      EXPECT_EQ(ReceiveAll(declined.Get()), "|ECONNRESET");
      const UniqueFd pipelined = Connect(name, 80);
      SendText(pipelined.Get(), get + ask("/socket"));
      EXPECT_EQ(ReceiveAll(pipelined.Get()), "|ECONNRESET");
    });
    EXPECT_THAT(Reasons(world.Finish()),
                UnorderedElementsAre(
                    "allow ", "deny its first bytes are of no protocol that the gateway can check",
                    "deny it asks for a WebSocket or with Expect before an earlier request is answered"));
  });
}

// A proxy at an allowed name could dial whatever a request names: every port of it is judged. Another server
// answers an absolute target itself, as the host in it: the port of the connection is judged, too.
TEST(GatewayChecks, ThePortOfATargetIsJudged) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 3128, CountBytes);
    world.Name("proxy.test", {"203.0.113.1"});
    const auto at = [](const char* name, std::uint16_t port) {
      return NetworkRule{.to = {{.host = name}}, .ports = {{Protocol::kTcp, port, port}}, .pointer = name};
    };
    world.Start({.allow = {at("proxy.test", 3128), at("good.test", 443), at("good.test", 80),
                           at("plain.test", 80), at("plain.test", 3128)}});
    world.Inside([] {
      const std::string proxy = Ask("proxy.test").at(0);
      const auto say = [&](const std::string& bytes) {
        const UniqueFd socket = Connect(proxy, 3128);
        SendText(socket.Get(), bytes);
        ::shutdown(socket.Get(), SHUT_WR);
        const std::string answer = ReceiveAll(socket.Get());
        return answer == std::to_string(bytes.size()) + "|end" ? "all" : answer;
      };
      const std::string host = " HTTP/1.1\r\nHost: good.test\r\n\r\n";
      EXPECT_EQ(say("CONNECT good.test:443" + host), "all");
      EXPECT_EQ(say("CONNECT good.test:80" + host), "all");
      EXPECT_EQ(say("GET http://plain.test/ HTTP/1.1\r\nHost: plain.test\r\n\r\n"), "all");
      EXPECT_EQ(say("GET http://good.test/" + host), "|ECONNRESET");  // the server may be no proxy
      EXPECT_EQ(say("CONNECT good.test:22" + host), "|ECONNRESET");
      EXPECT_EQ(say("CONNECT good.test:3128" + host), "|ECONNRESET");
      EXPECT_EQ(say("CONNECT proxy.test:22 HTTP/1.1\r\nHost: proxy.test\r\n\r\n"), "|ECONNRESET");
      EXPECT_EQ(say("CONNECT proxy.test:3128 HTTP/1.1\r\nHost: proxy.test\r\n\r\n"), "all");
      EXPECT_EQ(say("GET http://good.test:8080/" + host), "|ECONNRESET");
      EXPECT_EQ(say("GET /" + host), "|ECONNRESET");  // good.test at the proxy's own port
    });
    EXPECT_THAT(
        Reasons(world.Finish()),
        ElementsAre("allow ", "allow ", "allow ", "deny it opens with the name good.test at port 3128",
                    "deny it opens with the name good.test at port 22",
                    "deny it opens with the name proxy.test at port 22", "allow ",
                    "deny it opens with the name good.test at port 8080",
                    "deny it opens with the name good.test",
                    "deny it opens with the name good.test at port 3128"));  // it came again
  });
}

// Bodies that do not come with their head are spliced, up to their end and no further.
TEST(GatewayChecks, ARequestBehindALargeBodyIsLookedAt) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 443, CountBytes);
    world.Name("a.test", {"203.0.113.1"});
    world.Start(AllowHosts({"a.test"}));
    world.Inside([] {
      ASSERT_THAT(Ask("a.test"), ElementsAre("198.18.0.16"));
      for (const std::string last : {"a", "c"}) {
        const UniqueFd socket = Connect("198.18.0.16", 443);
        SendText(socket.Get(), "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9000000\r\n\r\n");
        SendText(socket.Get(), std::string(9000000, 'x'));
        SendText(socket.Get(), "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (int i = 0; i < 20; ++i) SendText(socket.Get(), "186a0\r\n" + std::string(100000, 'y') + "\r\n");
        SendText(socket.Get(), "0\r\n\r\nGET / HTTP/1.1\r\nHost: " + last + ".test\r\n\r\n");
        ::shutdown(socket.Get(), SHUT_WR);
        const std::size_t all = 58 + 9000000 + 61 + 20 * 100009 + 5 + 32;
        EXPECT_EQ(ReceiveAll(socket.Get()), last == "a" ? std::to_string(all) + "|end" : "|ECONNRESET");
      }
    });
    EXPECT_THAT(Reasons(world.Finish()),
                ElementsAre("allow ", "deny a later request is for the name c.test"));
  });
}

TEST(GatewayChecks, AHostIsJudgedAsAConnectionToItIs) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, CountBytes);
    world.HostsFile("203.0.113.1 a.test\n203.0.113.3 evil.test\n");
    world.SearchIn("test");
    world.Start({.egress = RuleAction::kAllow,
                 .deny = {{.to = {{.host = "evil.test"}, {.cidr = "203.0.113.2"}}, .pointer = "/deny"}}});
    world.Inside([] {
      const auto ask = [](const std::string& address, const std::string& host) {
        const UniqueFd socket = Connect(address, 80);
        SendText(socket.Get(), "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        ::shutdown(socket.Get(), SHUT_WR);
        return ReceiveAll(socket.Get());
      };
      const std::string name = Ask("a.test").at(0);
      EXPECT_EQ(ask("203.0.113.1", "203.0.113.1"), "37|end");
      EXPECT_EQ(ask(name, "203.0.113.1:80"), "40|end");
      EXPECT_EQ(ask("203.0.113.1", "203.0.113.2"), "|ECONNRESET");
      EXPECT_EQ(ask("203.0.113.1", "[::ffff:203.0.113.2]"), "|ECONNRESET");
      EXPECT_EQ(ask("203.0.113.1", "169.254.169.254"), "|ECONNRESET");
      EXPECT_EQ(ask("203.0.113.1", "evil.test"), "|ECONNRESET");
      EXPECT_EQ(ask("203.0.113.1", "203.0.113.3"), "|ECONNRESET");  // an address of evil.test
      EXPECT_EQ(ask("203.0.113.1", "evil"), "|ECONNRESET");         // a form of it is evil.test
    });
  });
}

TEST(GatewayChecks, NamesThatResolveToTheHostOrItsNetworkAreRefused) {
  InWorld([](World& world) {
    world.Serve("127.0.0.1", 80, CountBytes);
    world.Name("loop.test", {"127.0.0.1"});
    world.Name("meta.test", {"169.254.169.254"});
    world.Name("mixed.test", {"10.0.0.1", "203.0.113.1"});
    world.Name("none.test", {});
    world.Serve("203.0.113.1", 80, CountBytes);
    world.Start(AllowHosts({"*.test"}));
    world.Inside([] {
      for (const std::string name : {"loop.test", "meta.test", "none.test", "missing.test"}) {
        EXPECT_EQ(ReceiveAll(Connect(Ask(name).at(0), 80).Get()), "|ECONNRESET") << name;
      }
      const UniqueFd mixed = Connect(Ask("mixed.test").at(0), 80);
      ::shutdown(mixed.Get(), SHUT_WR);
      EXPECT_EQ(ReceiveAll(mixed.Get()), "0|end");
    });
    EXPECT_THAT(
        Reasons(world.Finish()),
        ElementsAre("deny always blocked: loopback", "deny always blocked: link-local and cloud metadata",
                    "deny the name has no address", "deny the name has no address", "allow "));
  });
}

// Not the one that was blocked beside it.
TEST(GatewayChecks, ARecordHasTheAddressThatWasDialledLast) {
  InWorld([](World& world) {
    world.Name("a.test", {"203.0.113.1", "127.0.0.1"});
    world.Name("b.test", {"203.0.113.1", "203.0.113.2"});
    world.Start(AllowHosts({"*.test"}));
    world.Inside([] {
      for (const std::string name : {"a.test", "b.test"})
        EXPECT_EQ(ReceiveAll(Connect(Ask(name).at(0), 80).Get()), "|ECONNRESET") << name;
    });
    std::vector<std::string> told;
    for (const GatewayRecord& record : world.Finish()) told.push_back(record.address + " " + record.reason);
    EXPECT_THAT(told, ElementsAre("203.0.113.1 Connection refused", "203.0.113.2 Connection refused"));
  });
}

// A rule for the loopback means the sandbox's own.
TEST(GatewayChecks, NoRuleLeadsANameToTheHostsLoopback) {
  InWorld([](World& world) {
    world.Serve("127.0.0.1", 80, CountBytes);
    const std::vector<std::string> own = {"127.0.0.1", "0.0.0.0", "::1", "::ffff:127.0.0.1",
                                          "64:ff9b::127.0.0.1"};
    for (std::size_t i = 0; i < own.size(); ++i) world.Name("own" + std::to_string(i) + ".test", {own[i]});
    EgressRules rules = AllowHosts({"*"});
    rules.allow.push_back(
        {.to = {{.cidr = "127.0.0.0/8"}, {.cidr = "0.0.0.0/8"}, {.cidr = "::/0"}}, .pointer = "/own"});
    world.Start(rules);
    world.Inside([&] {
      for (std::size_t i = 0; i < own.size(); ++i)
        EXPECT_EQ(ReceiveAll(Connect(Ask("own" + std::to_string(i) + ".test").at(0), 80).Get()),
                  "|ECONNRESET")
            << own[i];
    });
    for (const std::string& reason : Reasons(world.Finish()))
      EXPECT_THAT(reason, testing::AnyOf("deny always blocked: loopback", "deny always blocked: this host"));
  });
}

TEST(GatewayChecks, ASearchDomainDoesNotLeadToADeniedName) {
  InWorld([](World& world) {
    world.SearchIn("first.test corp.test last.test");
    world.Name("secret.corp.test", {"203.0.113.1"});
    world.Name("early.first.test", {"203.0.113.1"});
    world.Name("secret.last.test", {"203.0.113.1"});
    for (const std::uint16_t port : {std::uint16_t{80}, std::uint16_t{81}})
      world.Serve("203.0.113.1", port, CountBytes);
    world.Start({.egress = RuleAction::kAllow,
                 .deny = {{.to = {{.host = "*.corp.test"}},
                           .ports = {{Protocol::kTcp, 80, 80}},
                           .pointer = "/network/egress/deny/0"}}});
    world.Inside([&] {
      const auto ask = [](const std::string& name, std::uint16_t port) {
        const UniqueFd socket = Connect(Ask(name).at(0), port);
        SendText(socket.Get(), "GET / HTTP/1.0\r\nHost: " + name + "\r\n\r\n");
        ::shutdown(socket.Get(), SHUT_WR);
        return ReceiveAll(socket.Get());
      };
      EXPECT_EQ(ReceiveAll(Connect(Ask("secret").at(0), 80).Get()), "|ECONNRESET");
      EXPECT_EQ(ask("early", 80), "31|end");
      EXPECT_THAT(world.Asked(), testing::Not(testing::Contains("secret.corp.test")));
      EXPECT_EQ(ask("secret", 81), "32|end");
    });
    EXPECT_THAT(world.Asked(), testing::Not(testing::Contains("secret.last.test")));
    const std::vector<GatewayRecord> records = world.Finish();
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(records[0].verdict, RuleAction::kDeny);
    EXPECT_EQ(records[0].name, "secret.corp.test");
    EXPECT_EQ(records[0].pointer, "/network/egress/deny/0");
  });
}

// Programs find them in the hosts file, and so connect to an address.
TEST(GatewayChecks, AnAddressOfTheHostsFileStandsForItsAllowedName) {
  InWorld([](World& world) {
    for (const char* address : {"203.0.113.5", "203.0.113.6", "2001:db8::5", "10.0.0.5"})
      world.Serve(address, 80, CountBytes);
    world.HostsFile(
        "203.0.113.5 other.test db.local # not.local\n2001:db8::5 db.local\n203.0.113.6 other.test\n"
        "10.0.0.5 db.local\n203.0.113.7 db.local\n");
    EgressRules rules = AllowHosts({"db.local"});
    rules.allow[0].ports = {{Protocol::kTcp, 80, 80}};
    rules.deny = {{.to = {{.cidr = "203.0.113.7/32"}}, .pointer = "/deny"}};
    world.Start(rules);
    world.Inside([] {
      const auto ask = [](const std::string& address, const std::string& host) {
        const UniqueFd socket = Connect(address, 80);
        SendText(socket.Get(), "GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        ::shutdown(socket.Get(), SHUT_WR);
        return ReceiveAll(socket.Get());
      };
      EXPECT_EQ(ask("203.0.113.5", "db.local"), "34|end");
      EXPECT_EQ(ask("2001:db8::5", "db.local"), "34|end");
      EXPECT_EQ(ask("203.0.113.5", "other.test"), "|ECONNRESET");
      EXPECT_EQ(ReceiveAll(Connect("203.0.113.5", 81).Get()), "|ECONNRESET");
      for (const char* address : {"203.0.113.6", "203.0.113.7", "203.0.113.8", "10.0.0.5"})
        EXPECT_EQ(Try(address, 80), "ECONNREFUSED") << address;
    });
    const std::vector<GatewayRecord> records = world.Finish();
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(records[0].name, "db.local");
    EXPECT_EQ(records[0].pointer, "/allow");
  });
}

TEST(GatewayChecks, AnAddressThatTheHostsFileGivesADeniedNameIsDenied) {
  InWorld([](World& world) {
    for (const char* address : {"203.0.113.5", "203.0.113.6", "203.0.113.7", "203.0.113.8"}) {
      for (const std::uint16_t port : {std::uint16_t{22}, std::uint16_t{80}})
        world.Serve(address, port, CountBytes);
    }
    world.HostsFile(
        "203.0.113.5 alias.test secret.test\n203.0.113.6 half.test\n203.0.113.7 secret.test\n"
        "203.0.113.8 other.test\n");
    world.Name("dns.test", {"203.0.113.5"});
    world.Start(
        {.egress = RuleAction::kAllow,
         .allow = {{.to = {{.host = "*"}}, .pointer = "/allow/0"},
                   {.to = {{.cidr = "203.0.113.7/32"}}, .pointer = "/allow/1"}},
         .deny = {
             {.to = {{.host = "secret.test"}}, .pointer = "/deny/0"},
             {.to = {{.host = "half.test"}}, .ports = {{Protocol::kTcp, 22, 22}}, .pointer = "/deny/1"}}});
    world.Inside([] {
      const auto ask = [](const std::string& address, std::uint16_t port) {
        const UniqueFd socket = Connect(address, port);
        SendText(socket.Get(), "GET / HTTP/1.0\r\nHost: a.test\r\n\r\n");
        ::shutdown(socket.Get(), SHUT_WR);
        return ReceiveAll(socket.Get());
      };
      EXPECT_EQ(ReceiveAll(Connect("203.0.113.5", 80).Get()), "|ECONNRESET");
      EXPECT_EQ(ReceiveAll(Connect(Ask("dns.test").at(0), 80).Get()), "|ECONNRESET");
      EXPECT_EQ(ReceiveAll(Connect(Ask("alias.test").at(0), 80).Get()), "|ECONNRESET");
      EXPECT_EQ(ReceiveAll(Connect("203.0.113.6", 22).Get()), "|ECONNRESET");
      EXPECT_EQ(ask("203.0.113.6", 80), "32|end");
      EXPECT_EQ(ask("203.0.113.7", 80), "32|end");
      EXPECT_EQ(ask("203.0.113.8", 80), "32|end");
    });
    const std::vector<GatewayRecord> records = world.Finish();
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(records[0].verdict, RuleAction::kDeny);
    EXPECT_EQ(records[0].address, "203.0.113.5");
    EXPECT_EQ(records[0].pointer, "/deny/0");
  });
}

// A ClientHello behind what servers pass over, where a denied name is all that does not pass.
TEST(GatewayChecks, WhatServersPassOverIsRefused) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 443, CountBytes);
    world.Start(
        {.egress = RuleAction::kAllow, .deny = {{.to = {{.host = "evil.test"}}, .pointer = "/deny"}}});
    world.Inside([] {
      const auto say = [](const std::string& bytes) {
        const UniqueFd socket = Connect("203.0.113.1", 443);
        SendText(socket.Get(), bytes);
        ::shutdown(socket.Get(), SHUT_WR);
        return ReceiveAll(socket.Get());
      };
      const std::string alert = "\x15\x03\x01" + Counted(2, "\x01\x5a");
      const std::string good = Tls(ServerName("good.test"));
      EXPECT_EQ(say(good), std::to_string(good.size()) + "|end");
      EXPECT_EQ(say(alert), "|ECONNRESET");
      EXPECT_EQ(say(alert + good), "|ECONNRESET");
      EXPECT_EQ(say("hello\r\n"), "7|end");
    });
  });
}

}  // namespace
}  // namespace mxc::gateway_checks_test
