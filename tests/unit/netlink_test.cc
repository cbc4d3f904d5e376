#include "gateway/net/netlink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/netlink.h>

#include <algorithm>
#include <random>

#include "gateway/setup/tproxy_setup.h"

namespace mxc::egress::netlink_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Hex(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i != 0 && i % 4 == 0) text += ' ';
    text += kDigits[bytes[i] >> 4U];
    text += kDigits[bytes[i] & 15U];
  }
  return text;
}

// Numbers below are of a little-endian machine, as rtnetlink wants them there.
TEST(Netlink, BringsUpTheInterfaceWithIndexOne) {
  EXPECT_EQ(Hex(LoopbackUp().Bytes()),
            "20000000 10000500 01000000 00000000 "   // 32 bytes, RTM_NEWLINK, request and ack, 1
            "00000000 01000000 01000000 01000000");  // index 1, flags and mask IFF_UP
}

TEST(Netlink, GivesAnAddressAndTheRouteToEveryOther) {
  const NetlinkBatch batch = EveryAddress(Family::kIpv4);
  EXPECT_EQ(Hex(batch.Bytes()),
            "28000000 14000106 01000000 00000000 "   // RTM_NEWADDR, create and exclusive
            "02208200 01000000 "                     // AF_INET /32, permanent, universe, index 1
            "08000200 c0000008 "                     // IFA_LOCAL
            "08000100 c0000008 "                     // IFA_ADDRESS
            "3c000000 18000506 02000000 00000000 "   // RTM_NEWROUTE, create, exclusive and ack, 2
            "02000000 ff03fe02 00000000 "            // /0, table local, boot, scope host, type local
            "08000400 01000000 "                     // RTA_OIF
            "08000700 c0000008 "                     // RTA_PREFSRC
            "10000880 09001000 72656e6f 00000000");  // RTA_METRICS, RTAX_CC_ALGO "reno"
  EXPECT_EQ(batch.Awaited(), 2U);
}

TEST(Netlink, GivesIpv6TheSame) {
  const std::string text = Hex(EveryAddress(Family::kIpv6).Bytes());
  EXPECT_THAT(text, HasSubstr("0a808200 01000000 14000200 fd6d7863 00000000 00000000 00000008"));
  EXPECT_THAT(text, HasSubstr("0a000000 ff03fe02 00000000 08000400 01000000 14000700 fd6d7863"));
}

struct Message {
  std::uint16_t type = 0;
  std::span<const std::uint8_t> body = {};
};

std::vector<Message> MessagesOf(std::span<const std::uint8_t> bytes) {
  std::vector<Message> messages;
  while (bytes.size() >= sizeof(nlmsghdr)) {
    nlmsghdr header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    EXPECT_LE(header.nlmsg_len, bytes.size());
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > bytes.size()) break;
    messages.push_back({header.nlmsg_type, bytes.subspan(sizeof header, header.nlmsg_len - sizeof header)});
    bytes = bytes.subspan(header.nlmsg_len);
  }
  EXPECT_TRUE(bytes.empty());
  return messages;
}

TEST(Netlink, LoadsTheRulesInOneTransaction) {
  const NetlinkBatch batch = SteeringRules({.names = {{.allowed = {PortRange{}}}}});
  const std::vector<Message> messages = MessagesOf(batch.Bytes());
  constexpr int kTable = 0xa00;
  constexpr int kChain = 0xa03;
  constexpr int kRule = 0xa06;
  constexpr int kSet = 0xa09;
  std::vector<int> types;
  for (const Message& message : messages) {
    if (types.empty() || types.back() != message.type) types.push_back(message.type);
  }
  EXPECT_THAT(types, ElementsAre(0x10, kTable, kChain, kSet, kRule, 0x11));
  EXPECT_EQ(Hex(messages[0].body), "0000000a");                    // of subsystem 10, in network order
  EXPECT_EQ(Hex(messages[1].body), "01000000 08000100 6d786300");  // inet, "mxc"
  EXPECT_EQ(Hex(messages[3].body),
            "01000000 08000100 6d786300 0a000300 67756172 64000000 "  // "guard"
            "14000480 08000100 00000003 08000200 00000000 "           // output, priority 0
            "08000500 00000000 0b000700 66696c74 65720000");          // policy drop, "filter"
  EXPECT_EQ(batch.Awaited(),
            messages.size() - 1);  // the last rule: the kernel has judged every one before it
}

TEST(Netlink, SteersEverythingToTheGatewayAtLast) {
  const NetlinkBatch batch = SteeringRules({});
  const std::vector<Message> messages = MessagesOf(batch.Bytes());
  EXPECT_EQ(Hex(messages[messages.size() - 2].body),
            "01000000 08000100 6d786300 0a000200 73746565 72000000 84000480 "  // "steer", expressions
            "2c000180 0e000100 696d6d65 64696174 65000000 18000280 "           // "immediate"
            "08000100 00000001 0c000280 06000100 00010000 "                    // register 1: port 1
            "24000180 0b000100 7470726f 78790000 14000280 "                    // "tproxy"
            "08000100 00000000 08000300 00000001 "                             // as the packet; register 1
            "30000180 0e000100 696d6d65 64696174 65000000 1c000280 "           // "immediate"
            "08000100 00000000 10000280 0c000280 08000100 00000001");          // verdict: accept
}

std::vector<std::uint8_t> Answer(std::uint32_t sequence, std::int32_t error, std::uint32_t length = 36) {
  std::vector<std::uint8_t> bytes(36);
  const std::uint16_t type = NLMSG_ERROR;
  std::memcpy(bytes.data(), &length, sizeof length);
  std::memcpy(bytes.data() + 4, &type, sizeof type);
  std::memcpy(bytes.data() + 8, &sequence, sizeof sequence);
  std::memcpy(bytes.data() + 16, &error, sizeof error);
  return bytes;
}

std::string Read(const std::vector<std::uint8_t>& bytes) {
  NetlinkAnswers answers{bytes};
  std::string text;
  while (const auto answer = answers.Next()) {
    text += std::to_string(answer->sequence) + ":" + std::to_string(answer->error) + " ";
  }
  return text + (answers.Malformed() ? "malformed" : "end");
}

TEST(NetlinkAnswers, ReadsEachAnswerOfADatagram) {
  std::vector<std::uint8_t> bytes = Answer(1, 0);
  const std::vector<std::uint8_t> second = Answer(2, -2);
  bytes.insert(bytes.end(), second.begin(), second.end());
  EXPECT_EQ(Read(bytes), "1:0 2:2 end");
  EXPECT_EQ(Read({}), "end");
}

TEST(NetlinkAnswers, PassesOverOtherMessages) {
  std::vector<std::uint8_t> bytes = Answer(1, 0);
  bytes[4] = 20;
  EXPECT_EQ(Read(bytes), "end");
}

TEST(NetlinkAnswers, StopsAtWhatIsMalformed) {
  EXPECT_EQ(Read({1, 2, 3}), "malformed");
  EXPECT_EQ(Read(Answer(1, 0, 0)), "malformed");   // no length: would never end
  EXPECT_EQ(Read(Answer(1, 0, 15)), "malformed");  // shorter than its header
  EXPECT_EQ(Read(Answer(1, 0, 20)), "malformed");  // an answer without the message it answers
  EXPECT_EQ(Read(Answer(1, 0, 37)), "malformed");  // longer than the datagram
  EXPECT_EQ(Read(Answer(1, 5)), "malformed");      // errors are negative
  EXPECT_EQ(Read(Answer(1, -4096)), "malformed");  // beyond the kernel's numbers
}

TEST(NetlinkAnswers, EndsOnAnyBytes) {
  std::mt19937 random(1);  // NOLINT(bugprone-random-generator-seed): the same bytes each time
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::uint8_t> bytes = Answer(7, -1);
    for (int i = 0; i < 3; ++i) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    bytes.resize(random() % (bytes.size() + 1));
    NetlinkAnswers answers{bytes};
    int count = 0;
    while (answers.Next()) ASSERT_LE(++count, 3);
  }
}

}  // namespace
}  // namespace mxc::egress::netlink_test
