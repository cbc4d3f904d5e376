// The gateway as a program in a sandbox meets it: sockets in, sockets out, in namespaces of the test's own.
#include "gateway/gateway.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "tests/support/network_world.h"

namespace mxc::gateway_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

NetworkRule Host(const std::string& host, std::vector<PortRange> ports = {}) {
  return {.to = {{.host = host}}, .ports = std::move(ports), .pointer = "/allow/" + host};
}
NetworkRule Block(const std::string& cidr, std::vector<PortRange> ports = {}) {
  return {.to = {{.cidr = cidr}}, .ports = std::move(ports), .pointer = "/block/" + cidr};
}
EgressRules Allow(std::vector<NetworkRule> rules) {
  return {.egress_pointer = "/default", .allow = std::move(rules)};
}
PortRange Tcp(std::uint16_t port) { return {Protocol::kTcp, port, port}; }

constexpr const char* kRequest = "GET / HTTP/1.1\r\nHost: good.test\r\n\r\n";

void Echo(int connection) { SendText(connection, "echo " + Receive(connection, 5)); }

// "allow name address:port reason"
std::string Text(const GatewayRecord& record) {
  std::string text = record.verdict == RuleAction::kAllow ? "allow " : "deny ";
  text += std::string(Name(record.event)) + " " + record.name + " " + record.address;
  text += ":" + std::to_string(record.port) + " " + record.pointer;
  return record.reason.empty() ? text : text + " (" + record.reason + ")";
}
std::vector<std::string> Texts(const std::vector<GatewayRecord>& records) {
  std::vector<std::string> texts;
  for (const GatewayRecord& record : records) texts.push_back(Text(record));
  return texts;
}

TEST(Gateway, ReachesWhatItsRulesName) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, [](int connection) {
      SendText(connection, "HTTP/1.1 " + Receive(connection, std::string_view(kRequest).size()).substr(0, 5));
    });
    world.Name("good.test", {"203.0.113.1"});
    world.Start(Allow({Host("good.test", {Tcp(80)})}));
    world.Inside([] {
      EXPECT_THAT(Ask("good.test"), ElementsAre("198.18.0.16"));
      const UniqueFd socket = Connect("198.18.0.16", 80);
      SendText(socket.Get(), kRequest);
      EXPECT_EQ(ReceiveAll(socket.Get()), "HTTP/1.1 GET /|end");
    });
    const std::vector<GatewayRecord> records = world.Finish();
    EXPECT_THAT(Texts(records), ElementsAre("allow connection good.test 203.0.113.1:80 /allow/good.test"));
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].bytes_out, std::string_view(kRequest).size());
    EXPECT_EQ(records[0].bytes_in, 14U);
  });
}

TEST(Gateway, RefusesEverythingElseAtOnce) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, Echo);
    world.Serve("203.0.113.1", 81, Echo);
    world.Name("good.test", {"203.0.113.1"});
    world.Name("other.test", {"203.0.113.1"});
    world.Start(Allow({Host("good.test", {Tcp(80)})}));
    world.Inside([] {
      EXPECT_EQ(AskCode("other.test"), 3);
      EXPECT_EQ(AskCode("data.good.test"), 3);
      EXPECT_EQ(AskCode("other.test", 16), 3);
      EXPECT_EQ(AskCode("good.test", 65), 0);
      EXPECT_THAT(Ask("good.test", 28), ElementsAre("fd6d:7863:1::10"));
      EXPECT_EQ(Try("198.18.0.16", 81), "ECONNREFUSED");
      EXPECT_EQ(Try("203.0.113.1", 80), "ECONNREFUSED");
      EXPECT_EQ(Try("2001:db8::1", 80), "ECONNREFUSED");
      EXPECT_EQ(Try("198.18.0.99", 80), "ECONNREFUSED");
    });
    EXPECT_THAT(world.Asked(), IsEmpty());
    EXPECT_THAT(Texts(world.Finish()),
                UnorderedElementsAre("deny name other.test :0 /default (no rule allows it)",
                                     "deny name data.good.test :0 /default (no rule allows it)",
                                     "deny name other.test :0 /default (no rule allows it)",
                                     "deny connection good.test :81 /default (no rule allows it)",
                                     "deny connection  203.0.113.1:80 /default (no rule allows it)",
                                     "deny connection  2001:db8::1:80 /default (no rule allows it)",
                                     "deny connection  198.18.0.99:80  (no name has this address)"));
  });
}

TEST(Gateway, DialsLiteralAddressesThatABlockNames) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, Echo);
    world.Serve("2001:db8::5", 80, Echo);
    world.Start(Allow({Block("203.0.113.0/24"), Block("2001:db8::/32", {Tcp(80)})}));
    world.Inside([] {
      for (const std::string address : {"203.0.113.1", "2001:db8::5"}) {
        const UniqueFd socket = Connect(address, 80);
        SendText(socket.Get(), "hello");
        EXPECT_EQ(ReceiveAll(socket.Get()), "echo hello|end") << address;
      }
      EXPECT_EQ(ReceiveAll(Connect("203.0.113.1", 81).Get()), "|ECONNRESET");  // nobody listens there
    });
    EXPECT_THAT(Texts(world.Finish()), ElementsAre("allow connection  203.0.113.1:80 /block/203.0.113.0/24",
                                                   "allow connection  2001:db8::5:80 /block/2001:db8::/32",
                                                   "deny connection  203.0.113.1:81  (Connection refused)"));
  });
}

// By the kernel, when a program connects: by address and port; by the port of a name; addresses that no name
// has.
TEST(Gateway, RefusesWhenAProgramConnects) {
  InWorld([](World& world) {
    NetworkRule raw = Host("raw.test", {{Protocol::kUdp, 9, 9}});
    raw.uninspected = true;
    world.HostsFile("203.0.113.1 good.test\n203.0.113.1 raw.test\n");
    EgressRules rules = Allow({Host("good.test", {Tcp(80)}),
                               raw,
                               Block("203.0.113.0/28", {Tcp(443)}),
                               {.to = {{.cidr = "2001:db8::/32", .except = {"2001:db8:1::/48"}}}}});
    rules.deny = {Block("203.0.113.7")};
    world.Start(rules);
    world.Inside([] {
      const std::string good = Ask("good.test").at(0);
      const std::string raw_name = Ask("raw.test").at(0);
      for (const std::string& address : {good, Ask("good.test", 28).at(0)}) {
        EXPECT_EQ(Try(address, 80), "connected");
        EXPECT_EQ(Try(address, 81), "ECONNREFUSED");
        EXPECT_EQ(Try(address, 80, SOCK_DGRAM), "EPERM");
      }
      EXPECT_EQ(Try(raw_name, 80), "ECONNREFUSED");
      EXPECT_EQ(Try(raw_name, 9, SOCK_DGRAM), "connected");
      EXPECT_EQ(Try(raw_name, 10, SOCK_DGRAM), "EPERM");
      for (const char* address :
           {"198.18.0.1", "198.18.0.2", "198.18.0.99", "198.19.255.255", "fd6d:7863:1::99", "fd6d:7863:2::10",
            "203.0.113.7", "203.0.113.16", "2001:db8:1::1", "2001:db9::1", "64:ff9b::203.0.113.7",
            "2002:cb00:7107::1", "::203.0.113.7", "64:ff9b::203.0.113.8", "2002:cb00:7108::1",
            "169.254.169.254"}) {
        EXPECT_EQ(Try(address, 443), "ECONNREFUSED") << address;
      }
      for (const char* address : {"203.0.113.15", "2001:db8::1", "::ffff:203.0.113.8"}) {
        EXPECT_EQ(Try(address, 443), "connected") << address;
      }
      EXPECT_EQ(Try("203.0.113.15", 443, SOCK_DGRAM), "EPERM");
    });
  });
}

TEST(Gateway, AnOpenDefaultRefusesWhatIsDeniedWhenAProgramConnects) {
  InWorld([](World& world) {
    world.HostsFile("203.0.113.1 good.test\n");
    world.Start({.egress = RuleAction::kAllow,
                 .egress_pointer = "/default",
                 .deny = {Block("203.0.113.7"), Host("good.test", {Tcp(81)})}});
    world.Inside([] {
      EXPECT_EQ(Try("203.0.113.7", 80), "ECONNREFUSED");
      EXPECT_EQ(Try("203.0.113.7", 80, SOCK_DGRAM), "EPERM");
      EXPECT_EQ(Try("127.0.0.2", 80), "ECONNREFUSED");  // the sandbox's own
      EXPECT_EQ(Try("169.254.169.254", 80), "ECONNREFUSED");
      EXPECT_EQ(Try("203.0.113.8", 80), "connected");
      const std::string good = Ask("good.test").at(0);
      EXPECT_EQ(Try(good, 81), "ECONNREFUSED");
      EXPECT_EQ(Try(good, 80), "connected");
    });
  });
}

}  // namespace
}  // namespace mxc::gateway_test
