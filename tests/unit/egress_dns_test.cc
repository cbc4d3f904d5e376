// DNS messages, the resolver inside, the addresses of names, and the host's resolver files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "gateway/dns/dns_stub.h"
#include "gateway/rules/resolv_conf.h"

namespace mxc::egress::egress_dns_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Bytes Raw(std::string_view text) { return {text.begin(), text.end()}; }
using namespace std::string_literals;       // NOLINT(google-build-using-namespace): NUL in texts
using namespace std::string_view_literals;  // NOLINT(google-build-using-namespace)

class Stub : public testing::Test {
 protected:
  DnsReply Ask(const std::string& name, std::uint16_t type = kTypeA) {
    return dns_.Answer(WriteQuestion(7, name, type));
  }
  std::string Summary(const std::string& name, std::uint16_t type = kTypeA) {
    const DnsReply reply = Ask(name, type);
    const auto response = ReadResponse(reply.message, 7, name, type);
    if (!response) return "unreadable";
    std::string text = std::to_string(static_cast<int>(response->code));
    for (const IpAddress& address : response->addresses) text += " " + address.Text();
    return text;
  }
  std::string Code(const Bytes& query) {
    const DnsReply reply = dns_.Answer(query);
    return reply.message.size() < 4 ? "silence" : std::to_string(reply.message[3] & 0xfU);
  }

  RuleBook rules_ = *RuleBook::Compile(
      {.allow = {{.to = {{.host = "a.test"}, {.host = "*.b.test"}}}}, .host_loopback = RuleAction::kAllow});
  SyntheticNames names_;
  DnsStub dns_{rules_, names_, true};
};

TEST_F(Stub, GivesAllowedNamesAddressesOfTheirOwn) {
  EXPECT_EQ(Summary("a.test"), "0 198.18.0.16");
  EXPECT_EQ(Summary("x.b.test"), "0 198.18.0.17");
  EXPECT_EQ(Summary("a.test"), "0 198.18.0.16");
  EXPECT_EQ(Summary("a.test", kTypeAaaa), "0 fd6d:7863:1::10");
  EXPECT_EQ(Summary("host.mxc.internal"), "0 198.18.0.1");
  EXPECT_EQ(Summary("x.localhost"), "0 127.0.0.1");
  EXPECT_EQ(Summary("a.test", 65), "0");  // HTTPS
  EXPECT_EQ(Summary("a.test", 16), "0");  // TXT
}

// NXDOMAIN: what every client takes for an end.
TEST_F(Stub, RefusesOtherNamesWhateverTheType) {
  EXPECT_EQ(Summary("b.test"), "3");
  EXPECT_EQ(Summary("secret.a.test", 16), "3");
  EXPECT_TRUE(Ask("c.test").refused);
  EXPECT_EQ(Ask("c.test").name, "c.test");
  EXPECT_TRUE(Ask("").refused);
  EXPECT_EQ(Ask("").name, ".") << "the root";
  EXPECT_FALSE(Ask("a.test").refused);
}

TEST_F(Stub, KnowsTheNamesOfItsAddresses) {
  EXPECT_EQ(Summary("a.test"), "0 198.18.0.16");
  const DnsReply reply = Ask("16.0.18.198.in-addr.arpa", kTypePtr);
  EXPECT_NE(std::string(reply.message.begin(), reply.message.end())
                .find("\x01"
                      "a\x04test"),
            std::string::npos);
  const DnsReply six =
      Ask("0.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.3.6.8.7.d.6.d.f.ip6.arpa", kTypePtr);
  EXPECT_NE(std::string(six.message.begin(), six.message.end())
                .find("\x01"
                      "a\x04test"),
            std::string::npos);
  EXPECT_EQ(Summary("1.113.0.203.in-addr.arpa", kTypePtr), "3");
}

TEST_F(Stub, AnswersAHeadlessOrCrookedQueryWithoutGuessing) {
  EXPECT_EQ(Code({}), "silence");
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\1\0\0\0\0\0"sv)), "silence");
  // An answer, no question, two questions, another opcode.
  EXPECT_EQ(Code(Raw("\0\7\x81\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1"sv)), "silence");
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\0\0\0\0\0\0\0"sv)), "1");
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\2\0\0\0\0\0\0\1a\4test\0\0\1\0\1"sv)), "1");
  EXPECT_EQ(Code(Raw("\0\7\x29\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1"sv)), "4");
  // A pointer to itself, a pointer forward, a label that does not end, a label with a dot in it.
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\1\0\0\0\0\0\0\xc0\x0c\0\1\0\1"sv)), "1");
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\1\0\0\0\0\0\0\xc0\x20\0\1\0\1"sv)), "1");
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\1\0\0\0\0\0\0\x3f"
                     "a"sv)),
            "1");
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\1\0\0\0\0\0\0\6a.test\0\0\1\0\1"sv)), "3");
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1"sv)), "0");
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\1\0\0\0\0\0\0\1A\4TEST\0\0\1\0\1"sv)), "0");
  // Class CHAOS.
  EXPECT_EQ(Code(Raw("\0\7\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\3"sv)), "5");
}

TEST(SyntheticNames, AreBounded) {
  SyntheticNames names;
  for (std::size_t i = 0; i < kMaxNames; ++i) ASSERT_TRUE(names.Number("n" + std::to_string(i) + ".test"));
  EXPECT_FALSE(names.Number("one-more.test"));
  EXPECT_EQ(names.Number("n0.test"), 16U);
  EXPECT_EQ(*names.Find(IpAddress::Parse("198.19.0.15").value()), "n65535.test");
  EXPECT_EQ(names.Find(IpAddress::Parse("198.19.0.16").value()), nullptr);
}

std::string Response(std::string_view answers, std::size_t count) {
  return "\0\7\x81\x80\0\1\0"s + static_cast<char>(count) + "\0\0\0\0\1a\4test\0\0\1\0\1"s +
         std::string(answers);
}
std::vector<std::string> Read(const std::string& message) {
  const auto response = ReadResponse(Raw(message), 7, "a.test", kTypeA);
  if (!response) return {"none"};
  std::vector<std::string> texts;
  for (const IpAddress& address : response->addresses) texts.push_back(address.Text());
  return texts;
}

TEST(DnsResponse, FollowsAliasesAndNothingElse) {
  EXPECT_THAT(Read(Response("\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xcb\0\x71\1"sv, 1)), ElementsAre("203.0.113.1"));
  EXPECT_THAT(
      Read(Response("\xc0\x0c\0\5\0\1\0\0\0\x3c\0\4\1b\xc0\x0e\xc0\x24\0\1\0\1\0\0\0\x3c\0\4\xcb\0\x71\2"sv,
                    2)),
      ElementsAre("203.0.113.2"));
  // An address of another name is not an answer.
  EXPECT_THAT(Read(Response("\1z\4test\0\0\1\0\1\0\0\0\x3c\0\4\xcb\0\x71\1"sv, 1)), IsEmpty());
  EXPECT_THAT(Read(Response("\xc0\x0c\0\1\0\1\0\0\0\x3c\0\5\xcb\0\x71\1\1"sv, 1)), IsEmpty());
  EXPECT_THAT(Read(Response("\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xcb\0"sv, 1)), ElementsAre("none"));
  EXPECT_FALSE(ReadResponse(Raw(Response("", 0)), 8, "a.test", kTypeA));
  EXPECT_FALSE(ReadResponse(Raw(Response("", 0)), 7, "b.test", kTypeA));
  EXPECT_FALSE(ReadResponse(Raw(Response("", 0)), 7, "a.test", kTypeAaaa));
}

TEST(ResolvConf, IsReadAsTheCLibraryDoes) {
  const ResolvConf conf = ParseResolvConf(R"(# comment
nameserver 192.0.2.1
nameserver 2001:db8::53
nameserver nonsense
search Corp.Test lab.test
options ndots:2 timeout:3 attempts:9 rotate
)");
  EXPECT_THAT(conf.servers, ElementsAre(*IpAddress::Parse("192.0.2.1"), *IpAddress::Parse("2001:db8::53")));
  EXPECT_THAT(conf.search, ElementsAre("corp.test", "lab.test"));
  EXPECT_EQ(conf.dots, 2U);
  EXPECT_EQ(conf.timeout_ms, 3000U);
  EXPECT_EQ(conf.attempts, 5U);
  EXPECT_THAT(ParseResolvConf("").servers, ElementsAre(*IpAddress::Parse("127.0.0.1")));
}

TEST(Hosts, GivesAllAddressesOfAName) {
  constexpr std::string_view kHosts =
      "192.0.2.1 a.test b.test # c.test\n2001:db8::1\tA.Test\nbad c.test\n192.0.2.2 d.test.a.test";
  EXPECT_THAT(FindInHosts(kHosts, "a.test"),
              ElementsAre(*IpAddress::Parse("192.0.2.1"), *IpAddress::Parse("2001:db8::1")));
  EXPECT_THAT(FindInHosts(kHosts, "b.test"), ElementsAre(*IpAddress::Parse("192.0.2.1")));
  EXPECT_THAT(FindInHosts(kHosts, "c.test"), IsEmpty());
  EXPECT_THAT(FindInHosts(kHosts, "test"), IsEmpty());
}

}  // namespace
}  // namespace mxc::egress::egress_dns_test
