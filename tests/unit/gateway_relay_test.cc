// What the gateway carries.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "gateway/net/sockets_linux.h"
#include "gateway/setup/inside.h"
#include "tests/support/network_world.h"

namespace mxc::gateway_relay_test {
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

// Behind urgent data, too. How the bytes arrive is TCP's; that one of them is urgent is not passed on.
TEST(GatewayRelay, PassesUrgentDataOnAmongTheOthers) {
  InWorld([](World& world) {
    const auto echo = [](int connection) {
      ::send(connection, "a", 1, MSG_OOB | MSG_NOSIGNAL);
      SendText(connection, ReceiveAll(connection));
    };
    world.Serve("203.0.113.1", 23, echo);
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([] {
      const UniqueFd socket = Connect("203.0.113.1", 23);
      SendText(socket.Get(), "before ");
      ::usleep(50000);
      EXPECT_EQ(::send(socket.Get(), "!", 1, MSG_OOB), 1);
      ::usleep(50000);
      SendText(socket.Get(), " behind");
      ::shutdown(socket.Get(), SHUT_WR);
      egress::SetOption(socket.Get(), SOL_SOCKET, SO_OOBINLINE, 1);
      EXPECT_EQ(ReceiveAll(socket.Get()), "abefore ! behind|end|end");
    });
    EXPECT_THAT(Reasons(world.Finish()), ElementsAre("allow "));
  });
}

// What a server made of its connection, told to the test.
struct Told {
  Told() { EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0); }
  void Tell(const std::string& text) const {
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  [[nodiscard]] std::string Hear() const {
    char text[64];
    pollfd poll{.fd = ends[0], .events = POLLIN, .revents = 0};
    if (::poll(&poll, 1, 10000) != 1) return "nothing";
    return {text, static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], text, sizeof text), 0))};
  }
  int ends[2] = {-1, -1};
};

TEST(GatewayRelay, EachDirectionEndsByItself) {
  InWorld([](World& world) {
    const Told told;
    world.Serve("203.0.113.1", 80, [&told](int connection) {
      SendText(connection, "bye");
      ::shutdown(connection, SHUT_WR);
      told.Tell(ReceiveAll(connection));
    });
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([&told] {
      UniqueFd socket = Connect("203.0.113.1", 80);
      EXPECT_EQ(ReceiveAll(socket.Get()), "bye|end");
      SendText(socket.Get(), "late");
      socket.Reset();
      EXPECT_EQ(told.Hear(), "late|end");
    });
    EXPECT_THAT(Reasons(world.Finish()), ElementsAre("allow "));
  });
}

TEST(GatewayRelay, PassesTheResetOfAProgramOn) {
  InWorld([](World& world) {
    const Told told;
    world.Serve("203.0.113.1", 80, [&told](int connection) { told.Tell(ReceiveAll(connection)); });
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([&told] {
      UniqueFd socket = Connect("203.0.113.1", 80);
      SendText(socket.Get(), "x");
      ::usleep(100000);  // a reset overtakes what was not delivered
      const linger now{.l_onoff = 1, .l_linger = 0};
      ::setsockopt(socket.Get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
      socket.Reset();
      EXPECT_EQ(told.Hear(), "x|ECONNRESET");
    });
    EXPECT_THAT(Reasons(world.Finish()), ElementsAre("allow reset"));
  });
}

// A server that does not read stops the program; nothing piles up in between, and nothing is lost.
TEST(GatewayRelay, AServerThatDoesNotReadStopsTheProgram) {
  InWorld([](World& world) {
    const Told told;
    world.Serve("203.0.113.1", 80, [&told](int connection) {
      EXPECT_EQ(told.Hear(), "stuck");
      CountBytes(connection);
    });
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([&told] {
      const UniqueFd socket = Connect("203.0.113.1", 80);
      const std::string chunk(65536, 'x');
      std::size_t sent = 0;
      pollfd poll{.fd = socket.Get(), .events = POLLOUT, .revents = 0};
      while (::poll(&poll, 1, 500) == 1) {
        const ssize_t count = ::send(socket.Get(), chunk.data(), chunk.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0) sent += static_cast<std::size_t>(count);
        ASSERT_LT(sent, 64U << 20U) << "somebody keeps it all";
      }
      told.Tell("stuck");
      ::shutdown(socket.Get(), SHUT_WR);
      EXPECT_EQ(ReceiveAll(socket.Get()), std::to_string(sent) + "|end");
    });
    EXPECT_THAT(Reasons(world.Finish()), ElementsAre("allow "));
  });
}

TEST(GatewayRelay, CarriesAThousandConnectionsAtATime) {
  constexpr int kConnections = 1000;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < 8192) GTEST_SKIP() << "needs a hard limit of 8192 open files";
  InWorld([&files](World& world) {
    files.rlim_cur = files.rlim_max;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
    world.Serve("203.0.113.1", 80, [kept = std::vector<int>()](int connection) mutable {
      kept.push_back(::dup(connection));
      SendText(connection, "hello");
    });
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([] {
      std::vector<UniqueFd> sockets;
      for (int i = 0; i < kConnections; ++i) sockets.push_back(Connect("203.0.113.1", 80));
      for (const UniqueFd& socket : sockets) ASSERT_EQ(Receive(socket.Get(), 5), "hello");
    });
    const std::vector<GatewayRecord> records = world.Finish();
    std::uint64_t lost = 0;  // nobody reads while it lasts: the summary of the rest is its number
    for (const GatewayRecord& record : records) lost += record.lost;
    EXPECT_EQ(records.size() + lost, static_cast<std::size_t>(kConnections));
  });
}

// Sends until nobody takes more.
std::size_t Fill(int connection) {
  const std::string chunk(4096, 'x');
  std::size_t sent = 0;
  pollfd poll{.fd = connection, .events = POLLOUT, .revents = 0};
  while (::poll(&poll, 1, 500) == 1) {
    const ssize_t count = ::send(connection, chunk.data(), chunk.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
  return sent;
}

// The two ends buffer little themselves, so what the server can send to a client that does not read is what
// the gateway's sockets hold.
TEST(GatewayRelay, ManyConnectionsBufferLittleEach) {
  static constexpr std::size_t kClients = 257;
  static constexpr std::size_t kMostBytes = 300000;
  InWorld([](World& world) {
    const Told told;
    world.Serve("203.0.113.1", 80, [&, kept = std::vector<int>()](int connection) mutable {
      egress::LimitBuffers(connection, 1 << 14);
      kept.push_back(::dup(connection));
      SendText(connection, "hello");
      if (kept.size() == kClients) told.Tell(std::to_string(Fill(connection)));
    });
    world.Start({.allow = {{.to = {{.cidr = "203.0.113.0/24"}}}}});
    world.Inside([&told] {
      std::vector<UniqueFd> sockets;
      while (sockets.size() < kClients) {
        sockets.push_back(Connect("203.0.113.1", 80));
        egress::LimitBuffers(sockets.back().Get(), 1 << 14);
        ASSERT_EQ(Receive(sockets.back().Get(), 5), "hello");
      }
      EXPECT_LT(std::stoul(told.Hear()), kMostBytes);
    });
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
    world.Start({.host_loopback = RuleAction::kAllow, .host_loopback_pointer = "/hostLoopback"});
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

// What the published port says to a visitor while these addresses inside serve it, and once none does.
void VisitPublished(const std::vector<std::string>& servers, const std::string& answer) {
  InWorld([&](World& world) {
    world.Start({.publish = {{.host = 8080, .guest = 80, .pointer = "/publish/0"}}});
    const Told ready;
    const Told seen;
    world.Fork([&] {
      if (ready.Hear() != "ready") return;
      for (int i = 0; i < 3; ++i) {  // sockets inside are used again
        const UniqueFd socket = Connect("127.0.0.1", 8080);
        seen.Tell(ReceiveAll(socket.Get()) + ";");
      }
      seen.Tell("done");
    });
    world.Inside([&] {
      for (const std::string& server : servers) {
        world.Serve(server, 80, [&server](int connection) { SendText(connection, server); });
      }
      ready.Tell("ready");
      std::string all;
      while (!all.ends_with("done") && !all.ends_with("nothing")) all += seen.Hear();
      EXPECT_EQ(all, answer + ";" + answer + ";" + answer + ";done");
    });
  });
}

TEST(GatewayRelay, APublishedPortLeadsToEitherLoopbackAddress) {
  VisitPublished({"127.0.0.1", "::1"}, "127.0.0.1|end");
  VisitPublished({"::1"}, "::1|end");
  VisitPublished({}, "|ECONNRESET");
}

TEST(GatewayRelay, TellsOfVisitorsThatAreTooMany) {
  static constexpr std::size_t kMore = 3;
  InWorld([](World& world) {
    world.Start({.publish = {{.host = 8080, .guest = 80, .pointer = "/publish/0"}}});
    const Told ready;
    const Told seen;
    world.Fork([&] {
      if (ready.Hear() != "ready") return;
      std::vector<UniqueFd> sockets;
      for (std::size_t i = 0; i < egress::kPublishedConnections; ++i) {
        sockets.push_back(Connect("127.0.0.1", 8080));
        if (Receive(sockets.back().Get(), 5) != "hello") return seen.Tell("too few");
      }
      for (std::size_t i = 0; i < kMore; ++i) {
        if (ReceiveAll(Connect("127.0.0.1", 8080).Get()) != "|ECONNRESET") return seen.Tell("too many");
      }
      seen.Tell("done");
    });
    world.Inside([&] {
      world.Serve("127.0.0.1", 80, [kept = std::vector<int>()](int connection) mutable {
        kept.push_back(::dup(connection));
        SendText(connection, "hello");
      });
      ready.Tell("ready");
      EXPECT_EQ(seen.Hear(), "done");
    });
    std::size_t refused = 0;
    for (const GatewayRecord& record : world.Finish()) {
      if (record.verdict == RuleAction::kAllow) continue;
      refused += 1 + record.lost;
      EXPECT_EQ(record.event, GatewayEvent::kPublished);
      EXPECT_EQ(record.reason, "too many connections");
      EXPECT_EQ(record.address, "127.0.0.1");
      EXPECT_EQ(record.pointer, "/publish/0");
    }
    EXPECT_EQ(refused, kMore);
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
      const UniqueFd daemon = Listener("127.0.0.1", 8080);
      ASSERT_EQ(::write(ends[1], "k", 1), 1);
      ::usleep(100000);
    });
    char byte = 0;
    ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    world.Start({.publish = {{.host = 8080, .guest = 80, .pointer = "/publish/0"}}});
  });
}

}  // namespace
}  // namespace mxc::gateway_relay_test
