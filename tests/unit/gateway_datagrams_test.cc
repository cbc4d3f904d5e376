// Datagrams through the gateway.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/support/network_world.h"

namespace mxc::gateway_datagrams_test {
namespace {

using testing::ElementsAre;

void EchoBytes(int socket) {
  for (;;) {
    char byte = 0;
    sockaddr_storage from{};
    socklen_t size = sizeof from;
    auto* source = reinterpret_cast<sockaddr*>(&from);
    ::recvfrom(socket, &byte, 1, 0, source, &size);
    ::sendto(socket, &byte, 1, 0, source, size);
  }
}

TEST(GatewayDatagrams, CarriesDatagramsAndAnswersFromTheAddressThatWasMeant) {
  InWorld([](World& world) {
    for (const std::string address : {"203.0.113.1", "2001:db8::1"}) {
      world.ServeUdp(address, 9, [](int socket) {
        std::vector<char> buffer(65536);
        for (;;) {
          sockaddr_storage from{};
          socklen_t size = sizeof from;
          auto* source = reinterpret_cast<sockaddr*>(&from);
          const ssize_t count = ::recvfrom(socket, buffer.data(), buffer.size(), 0, source, &size);
          ::sendto(socket, buffer.data(), static_cast<std::size_t>(count), 0, source, size);
        }
      });
    }
    world.HostsFile("203.0.113.1 a.test\n");
    world.Start(
        {.allow = {{.to = {{.cidr = "203.0.113.0/24"}, {.cidr = "2001:db8::/32"}}},
                   {.to = {{.host = "a.test"}}, .ports = {{Protocol::kUdp, 9, 9}}, .uninspected = true},
                   {.to = {{.host = "b.test"}}}}});
    world.Inside([] {
      for (const std::string& address :
           {std::string("203.0.113.1"), std::string("2001:db8::1"), Ask("a.test").at(0)}) {
        const UniqueFd socket = Connect(address, 9, SOCK_DGRAM);
        SendText(socket.Get(), "hello");
        EXPECT_EQ(Receive(socket.Get(), 5), "hello") << address;
      }
      EXPECT_EQ(Try("198.51.100.1", 9, SOCK_DGRAM), "EPERM");
      EXPECT_EQ(Try("2001:db9::1", 9, SOCK_DGRAM), "EPERM");
      EXPECT_EQ(Try(Ask("b.test").at(0), 443, SOCK_DGRAM), "EPERM");
      const UniqueFd closed = Connect("203.0.113.1", 10, SOCK_DGRAM);
      SendText(closed.Get(), "hello");
      EXPECT_EQ(Receive(closed.Get(), 5), "|ECONNREFUSED");
    });
    EXPECT_THAT(
        Reasons(world.Finish()),
        testing::UnorderedElementsAre(
            "deny no rule allows it", "deny no rule allows it",
            "deny datagrams cannot be checked for the name they are sent to: programs fall back to TCP, and "
            "`inspect: \"none\"` in a rule lets them pass",
            "allow ", "allow ", "allow ", "allow "));
  });
}

sockaddr_in Place(std::uint32_t address, std::uint16_t port) {
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(address);
  place.sin_port = htons(port);
  return place;
}

// What a program gets from there when it speaks from 203.0.113.77. Without a connection the kernel has no
// better socket for an answer than the gateway's; with one, the program learns of a refusal.
std::string AskFromElsewhere(std::uint32_t address, bool connected) {
  const UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  const sockaddr_in own = Place(0xcb00714d, 0);
  EXPECT_EQ(::bind(socket.Get(), reinterpret_cast<const sockaddr*>(&own), sizeof own), 0);
  const sockaddr_in server = Place(address, 9);
  const auto* to = connected ? nullptr : reinterpret_cast<const sockaddr*>(&server);
  if (connected) {
    EXPECT_EQ(::connect(socket.Get(), reinterpret_cast<const sockaddr*>(&server), sizeof server), 0);
  }
  const auto size = static_cast<socklen_t>(connected ? 0 : sizeof server);
  if (::sendto(socket.Get(), "x", 1, MSG_NOSIGNAL, to, size) != 1) return strerrorname_np(errno);
  pollfd poll{.fd = socket.Get(), .events = POLLIN, .revents = 0};
  return ::poll(&poll, 1, 5000) == 1 ? Receive(socket.Get(), 1) : "nothing";
}

// Every address is the sandbox's own, so a program may bind any; what the gateway sends there is not taken
// for a program's.
TEST(GatewayDatagrams, AnswersAProgramThatSpeaksFromAnAddressOfItsChoice) {
  InWorld([](World& world) {
    world.ServeUdp("203.0.113.1", 9, EchoBytes);
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.1"}}}}});
    world.Inside([] {
      EXPECT_EQ(AskFromElsewhere(0xcb007101, false), "x");
      EXPECT_EQ(AskFromElsewhere(0xcb007102, true), "EPERM");
    });
    EXPECT_THAT(Reasons(world.Finish()), testing::UnorderedElementsAre("allow ", "deny no rule allows it"));
  });
}

// By segment routing (RFC 8754), which any program may ask for: the datagram first goes to `by`.
std::string SendBy(const char* by, const char* address) {
  struct {
    std::uint8_t next = 0, length = 4, type = 4, left = 1, last = 1, flags = 0;
    std::uint16_t tag = 0;
    in6_addr segments[2] = {};
  } header;
  ::inet_pton(AF_INET6, address, &header.segments[0]);
  ::inet_pton(AF_INET6, by, &header.segments[1]);
  const UniqueFd socket{::socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  if (::setsockopt(socket.Get(), IPPROTO_IPV6, IPV6_RTHDR, &header, sizeof header) != 0)
    return strerrorname_np(errno);
  sockaddr_in6 to{};
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(9);
  ::inet_pton(AF_INET6, address, &to.sin6_addr);
  const auto* const place = reinterpret_cast<const sockaddr*>(&to);
  return ::sendto(socket.Get(), "x", 1, 0, place, sizeof to) == 1 ? "sent" : strerrorname_np(errno);
}

TEST(GatewayDatagrams, NoneGoesByAnotherAddress) {
  InWorld([](World& world) {
    world.Start({.allow = {{.to = {{.cidr = "2001:db8::/32"}}}}});
    world.Inside([] {
      const std::string result = SendBy("2001:db8::1", "2001:db8::2");
      EXPECT_THAT(result, testing::AnyOf("EPERM", "EINVAL"));  // EINVAL: a kernel without it
    });
    for (const GatewayRecord& record : world.Finish()) {
      EXPECT_EQ(record.verdict, RuleAction::kDeny);
      EXPECT_EQ(record.address.substr(0, 10), "2001:db8::");
      EXPECT_EQ(record.port, 9);
    }
  });
}

TEST(GatewayDatagrams, ANewFlowTakesThePlaceOfTheOldest) {
  InWorld([](World& world) {
    world.ServeUdp("203.0.113.1", 9, EchoBytes);
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([] {
      for (int i = 0; i < 2200; ++i) {  // the table holds 2048
        const UniqueFd socket = Connect("203.0.113.1", 9, SOCK_DGRAM);
        SendText(socket.Get(), "x");
        ASSERT_EQ(Receive(socket.Get(), 1), "x") << i;
      }
    });
  });
}

// Where a name is denied, the address of its server is not.
TEST(GatewayDatagrams, QuicAndDtlsAreRefusedWhereANameIsDenied) {
  InWorld([](World& world) {
    world.ServeUdp("203.0.113.1", 443, EchoBytes);
    world.Start(
        {.egress = RuleAction::kAllow, .deny = {{.to = {{.host = "evil.test"}}, .pointer = "/deny"}}});
    world.Inside([] {
      const auto say = [](const std::string& bytes) {
        const UniqueFd socket = Connect("203.0.113.1", 443, SOCK_DGRAM);
        SendText(socket.Get(), bytes);
        return Receive(socket.Get(), 1);
      };
      EXPECT_EQ(say("hello"), "h");
      EXPECT_EQ(say("\x80" + std::string("\x60\0\1\0\0\0\1", 7)), "\x80");  // RTP
      EXPECT_EQ(say(std::string("\xc3\0\0\0\1", 5) + std::string(1200, 'x')), "|ECONNREFUSED");
      EXPECT_EQ(say(std::string("\xc3\0\0\0\1\x08", 6)), "|ECONNREFUSED");
      EXPECT_EQ(say("\xc3own!" + std::string(1200, 'x')), "|ECONNREFUSED");
      EXPECT_EQ(say(std::string("\x16\xfe\xfd\0\0", 5)), "|ECONNREFUSED");
      EXPECT_EQ(say(std::string("\x16\1\0\0\0", 5)), "|ECONNREFUSED");  // DTLS before its RFC
      const std::string hello =
          std::string("\x16\xfe\xff\0\0\0\0\0\0\0\0\0\x2c\1\0\0\x20", 17) + std::string(40, '\0');
      for (const std::size_t size : {1U, 13U, 500U})
        EXPECT_EQ(say(std::string(size, '\5') + hello), "|ECONNREFUSED");
      EXPECT_EQ(say(std::string(13, '\5') + hello.substr(0, 12)), "\5");
      EXPECT_EQ(say("\x0dIDENTITYQ043" + std::string(20, 'x')), "|ECONNREFUSED");
      EXPECT_EQ(say("\x01Q039" + std::string(20, 'x')), "|ECONNREFUSED");
      EXPECT_EQ(say("\x01Query"), "\x01");
      const UniqueFd late = Connect("203.0.113.1", 443, SOCK_DGRAM);
      SendText(late.Get(), "hello");
      EXPECT_EQ(Receive(late.Get(), 1), "h");
      SendText(late.Get(), std::string("\xc3\0\0\0\1\x08", 6));
      EXPECT_EQ(Receive(late.Get(), 1), "|ECONNREFUSED");
    });
  });
}

}  // namespace
}  // namespace mxc::gateway_datagrams_test
