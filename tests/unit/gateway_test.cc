// The gateway as a program in a sandbox meets it: sockets in, sockets out, in namespaces of the test's own.
#include "egress/gateway.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <string>
#include <vector>

#include "tests/support/network_world.h"

namespace mxc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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

void Echo(int connection) { SendText(connection, "echo " + Receive(connection, 5)); }

// "allow name address:port reason"
std::string Text(const GatewayRecord& record) {
  std::string text = record.verdict == Verdict::kAllow ? "allow " : "deny ";
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
    world.Serve("203.0.113.1", 80, Echo);
    world.Name("good.test", {"203.0.113.1"});
    world.Start(Allow({Host("good.test", {Tcp(80)})}));
    world.Inside([] {
      EXPECT_THAT(Ask("good.test"), ElementsAre("198.18.0.16"));
      const UniqueFd socket = Connect("198.18.0.16", 80);
      SendText(socket.Get(), "hello");
      EXPECT_EQ(ReceiveAll(socket.Get()), "echo hello|end");
    });
    const std::vector<GatewayRecord> records = world.Finish();
    EXPECT_THAT(Texts(records), ElementsAre("allow connection good.test 203.0.113.1:80 /allow/good.test"));
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].bytes_out, 5U);
    EXPECT_EQ(records[0].bytes_in, 10U);
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
      EXPECT_EQ(AskCode("other.test"), 5);
      EXPECT_EQ(AskCode("data.good.test"), 5);
      EXPECT_EQ(AskCode("other.test", 16), 5);
      EXPECT_EQ(AskCode("good.test", 65), 0);
      EXPECT_THAT(Ask("good.test", 28), ElementsAre("fd6d:7863:1::10"));
      EXPECT_EQ(ReceiveAll(Connect("198.18.0.16", 81).Get()), "|ECONNRESET");
      EXPECT_EQ(ReceiveAll(Connect("203.0.113.1", 80).Get()), "|ECONNRESET");
      EXPECT_EQ(ReceiveAll(Connect("2001:db8::1", 80).Get()), "|ECONNRESET");
      EXPECT_EQ(ReceiveAll(Connect("198.18.0.99", 80).Get()), "|ECONNRESET");
    });
    EXPECT_THAT(world.Asked(), IsEmpty());
    EXPECT_THAT(Texts(world.Finish()),
                ElementsAre("deny name other.test :0 /default (no rule allows it)",
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
      EXPECT_EQ(ReceiveAll(Connect("203.0.113.1", 81).Get()), "|ECONNRESET");
    });
    EXPECT_THAT(Texts(world.Finish()), ElementsAre("allow connection  203.0.113.1:80 /block/203.0.113.0/24",
                                                   "allow connection  2001:db8::5:80 /block/2001:db8::/32",
                                                   "deny connection  203.0.113.1:81  (Connection refused)"));
  });
}

}  // namespace
}  // namespace mxc
