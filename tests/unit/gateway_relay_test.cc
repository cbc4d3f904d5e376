// What the gateway carries.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/network_world.h"

namespace mxc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(GatewayRelay, LetsTheServerSpeakFirst) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 22, [](int connection) {
      SendText(connection, "SSH-2.0-server\r\n");
      SendText(connection, Receive(connection, 4));
    });
    world.HostsFile("203.0.113.1 a.test\n");
    world.Start(AllowHosts({"a.test"}));
    world.Inside([] {
      const UniqueFd socket = Connect(Ask("a.test").at(0), 22);
      EXPECT_EQ(Receive(socket.Get(), 16), "SSH-2.0-server\r\n");
      SendText(socket.Get(),
               "ping");  // could be the beginning of an HTTP request, and is answered all the same
      EXPECT_EQ(ReceiveAll(socket.Get()), "ping|end");
    });
    EXPECT_THAT(Reasons(world.Finish()), ElementsAre("allow "));
  });
}

TEST(GatewayRelay, PassesEndsAndResetsOn) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, CountBytes);
    world.Serve("203.0.113.1", 81, [](int connection) {
      (void)Receive(connection, 1);
      const linger now{.l_onoff = 1, .l_linger = 0};
      ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    });
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([] {
      const UniqueFd half = Connect("203.0.113.1", 80);
      const std::string much(8000000, 'x');
      SendText(half.Get(), much);
      ::shutdown(half.Get(), SHUT_WR);
      EXPECT_EQ(ReceiveAll(half.Get()), "8000000|end");
      const UniqueFd reset = Connect("203.0.113.1", 81);
      SendText(reset.Get(), "x");
      EXPECT_EQ(ReceiveAll(reset.Get()), "|ECONNRESET");
    });
    EXPECT_THAT(Reasons(world.Finish()), ElementsAre("allow ", "allow reset"));
  });
}

TEST(GatewayRelay, CarriesManyConnectionsAtATime) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, [kept = std::vector<int>()](int connection) mutable {
      kept.push_back(::dup(connection));
      SendText(connection, "hello");
    });
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([] {
      std::vector<UniqueFd> sockets;
      for (int i = 0; i < 400; ++i) sockets.push_back(Connect("203.0.113.1", 80));
      for (const UniqueFd& socket : sockets) ASSERT_EQ(Receive(socket.Get(), 5), "hello");
    });
    EXPECT_THAT(world.Finish(), SizeIs(400));
  });
}

TEST(GatewayRelay, CarriesDatagramsAndAnswersFromTheAddressThatWasMeant) {
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
        {.allow = {{.to = {{.cidr = "203.0.113.0/24"}, {.cidr = "2001:db8::/32"}, {.host = "a.test"}}}}});
    world.Inside([] {
      for (const std::string& address :
           {std::string("203.0.113.1"), std::string("2001:db8::1"), Ask("a.test").at(0)}) {
        const UniqueFd socket = Connect(address, 9, SOCK_DGRAM);
        SendText(socket.Get(), "hello");
        EXPECT_EQ(Receive(socket.Get(), 5), "hello") << address;
      }
      const UniqueFd refused = Connect("198.51.100.1", 9, SOCK_DGRAM);
      SendText(refused.Get(), "hello");
      EXPECT_EQ(Receive(refused.Get(), 5), "|ECONNREFUSED");
      const UniqueFd refused6 = Connect("2001:db9::1", 9, SOCK_DGRAM);
      SendText(refused6.Get(), "hello");
      EXPECT_EQ(Receive(refused6.Get(), 5), "|ECONNREFUSED");
      const UniqueFd closed = Connect("203.0.113.1", 10, SOCK_DGRAM);
      SendText(closed.Get(), "hello");
      EXPECT_EQ(Receive(closed.Get(), 5), "|ECONNREFUSED");
      const UniqueFd quic = Connect("198.18.0.16", 9, SOCK_DGRAM);
      SendText(quic.Get(), "\xc3" + std::string("\0\0\0\1", 4) + std::string(1195, 'q'));
      EXPECT_EQ(Receive(quic.Get(), 5), "|ECONNREFUSED");
    });
    EXPECT_THAT(Reasons(world.Finish()),
                testing::UnorderedElementsAre("deny no rule allows it", "deny no rule allows it",
                                              "deny QUIC hides the name; programs fall back to TCP", "allow ",
                                              "allow ", "allow ", "allow "));
  });
}

TEST(GatewayRelay, AnswersDnsOverTcp) {
  InWorld([](World& world) {
    world.Start(AllowHosts({"a.test"}));
    world.Inside([] {
      const UniqueFd socket = Connect("192.0.2.99", 53);
      const std::string query("\0\x18\0\7\1\0\0\1\0\0\0\0\0\0\1a\4test\0\0\1\0\1", 26);
      SendText(socket.Get(), query + query);
      const std::string answer = Receive(socket.Get(), 84);
      EXPECT_EQ(answer.size(), 84U);
      EXPECT_EQ(answer.substr(38, 4), "\xc6\x12" + std::string("\0\x10", 2));
      EXPECT_EQ(answer.substr(80, 4), "\xc6\x12" + std::string("\0\x10", 2));
    });
  });
}

TEST(GatewayRelay, ReachesTheHostsLoopbackByItsNameOnly) {
  InWorld([](World& world) {
    world.Serve("127.0.0.1", 80, CountBytes);
    world.Start({.host_loopback = Verdict::kAllow, .host_loopback_pointer = "/hostLoopback"});
    world.Inside([] {
      ASSERT_THAT(Ask("host.mxc.internal"), ElementsAre("198.18.0.1"));
      const UniqueFd socket = Connect("198.18.0.1", 80);
      ::shutdown(socket.Get(), SHUT_WR);
      EXPECT_EQ(ReceiveAll(socket.Get()), "0|end");
    });
    const std::vector<GatewayRecord> records = world.Finish();
    ASSERT_THAT(records, SizeIs(1));
    EXPECT_EQ(records[0].pointer, "/hostLoopback");
  });
}

TEST(GatewayRelay, PublishesPortsOfTheSandbox) {
  InWorld([](World& world) {
    world.Start({.publish = {{.host = 8080, .guest = 80, .pointer = "/publish/0"}}});
    int go[2];
    int done[2];
    ASSERT_EQ(::pipe2(go, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(done, O_CLOEXEC), 0);
    world.Fork([&go, &done] {
      char byte = 0;
      int good = ::read(go[0], &byte, 1) == 1 ? 0 : -1;
      for (; good >= 0 && good < 200; ++good) {  // more than there are sockets inside
        const UniqueFd socket = Connect("127.0.0.1", 8080);
        SendText(socket.Get(), "hello");
        ::shutdown(socket.Get(), SHUT_WR);
        if (ReceiveAll(socket.Get()) != "5|end") break;
      }
      byte = good == 200 ? 'k' : 'n';
      ASSERT_EQ(::write(done[1], &byte, 1), 1);
    });
    world.Inside([&world, &go, &done] {
      world.Serve("127.0.0.1", 80, CountBytes);
      char byte = 'x';
      ASSERT_EQ(::write(go[1], &byte, 1), 1);
      ASSERT_EQ(::read(done[0], &byte, 1), 1);
      EXPECT_EQ(byte, 'k');
    });
    EXPECT_THAT(world.Finish(), SizeIs(200));
  });
}

TEST(GatewayRelay, RefusesAPublishedPortThatIsTaken) {
  InWorld([](World& world) {
    world.Serve("127.0.0.1", 8080, CountBytes);
    const Result<Gateway> gateway =
        StartGateway({.publish = {{.host = 8080, .guest = 80, .pointer = "/publish/0"}}});
    ASSERT_FALSE(gateway);
    EXPECT_EQ(gateway.error().code, ErrorCode::kConflict);
    EXPECT_EQ(gateway.error().pointer, "/publish/0");
    EXPECT_THAT(gateway.error().message, HasSubstr("127.0.0.1:8080"));
  });
}

// As the gateway of a launcher that was killed does.
TEST(GatewayRelay, WaitsForAPublishedPortThatIsGivenUpInAMoment) {
  InWorld([](World& world) {
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    world.Fork([&ends] {
      const UniqueFd holder = Listener("127.0.0.1", 8080);
      ASSERT_EQ(::write(ends[1], "k", 1), 1);
      ::usleep(100000);
    });
    char byte = 0;
    ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    world.Start({.publish = {{.host = 8080, .guest = 80, .pointer = "/publish/0"}}});
  });
}

TEST(GatewayProcess, GivesUpItsRights) {
  InWorld([](World& world) {
    world.Start(AllowHosts({"a.test"}));
    world.Inside([&world] {
      std::ifstream file("/proc/" + std::to_string(world.Gate().id) + "/status");
      std::stringstream status;
      status << file.rdbuf();
      for (const std::string line : {"CapPrm:\t0000000000000000\n", "CapEff:\t0000000000000000\n",
                                     "CapBnd:\t0000000000000000\n", "NoNewPrivs:\t1\n", "Seccomp:\t2\n"}) {
        EXPECT_THAT(status.str(), HasSubstr(line));
      }
    });
  });
}

TEST(GatewayProcess, ItsDeathIsTheEndOfTheNetwork) {
  InWorld([](World& world) {
    world.Serve("203.0.113.1", 80, CountBytes);
    world.Start({.egress = Verdict::kAllow});
    world.Inside([&world] {
      const UniqueFd before = Connect("203.0.113.1", 80);
      ::kill(world.Gate().id, SIGKILL);
      pollfd ended{.fd = world.Gate().handle.Get(), .events = POLLIN, .revents = 0};
      ASSERT_EQ(::poll(&ended, 1, 10000), 1);
      EXPECT_EQ(ReceiveAll(before.Get()).substr(0, 1), "|");
      EXPECT_FALSE(Connect("203.0.113.1", 80));
      EXPECT_THAT(Ask("a.test"), ElementsAre("no answer"));
    });
  });
}

}  // namespace
}  // namespace mxc
