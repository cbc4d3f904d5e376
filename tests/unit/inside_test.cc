// The gateway's sockets in a network namespace of the test's own.
#include "gateway/setup/inside.h"

#include <netinet/tcp.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/inside_workload.h"

namespace mxc::egress::inside_test {
namespace {

// Invalid with errno.
UniqueFd Connected(const std::string& address, std::uint16_t port) {
  const bool ipv6 = address.find(':') != std::string::npos;
  UniqueFd socket{::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const sockaddr_in6 six = ipv6 ? Six(address, port) : sockaddr_in6{};
  const sockaddr_in four = ipv6 ? sockaddr_in{} : Four(address, port);
  const auto* target =
      ipv6 ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  if (::connect(socket.Get(), target, ipv6 ? sizeof six : sizeof four) != 0) socket.Reset();
  return socket;
}

int Connect(const std::string& address, std::uint16_t port) {
  const UniqueFd socket = Connected(address, port);
  if (!socket) return errno;
  char byte = 0;
  return ::read(socket.Get(), &byte, 1) == 1 && byte == 'g' ? 0 : EPROTO;
}

// The next connection: who was meant. It is told that the gateway has it.
std::string NextMeant(const InsideSockets& inside) {
  if (!Readable(inside.tcp[0])) return "nothing";
  const UniqueFd accepted{::accept4(inside.tcp[0], nullptr, nullptr, SOCK_CLOEXEC)};
  sockaddr_storage meant{};
  socklen_t size = sizeof meant;
  EXPECT_EQ(::getsockname(accepted.Get(), reinterpret_cast<sockaddr*>(&meant), &size), 0);
  EXPECT_EQ(::write(accepted.Get(), "g", 1), 1);
  return TextOf(meant);
}

class Inside : public test::NamespacesTest {};

TEST_F(Inside, TakesEveryConnectionAndSaysWhoWasMeant) {
  Workload workload([] {
    if (Connect("192.0.2.1", 443) != 0) return 1;
    if (Connect("10.0.0.1", 1) != 0) return 2;
    if (Connect("192.168.1.1", 80) != 0) return 3;
    if (Connect("2001:db8::5", 22) != 0) return 4;
    if (Connect("::ffff:192.0.2.9", 81) != 0) return 5;
    if (Connect("127.0.0.53", 53) != 0) return 6;
    return Connect("::1", 53) == 0 ? 0 : 7;
  });
  InProcess([&] {
    const InsideSockets inside = Open(workload);
    ASSERT_GE(inside.raw6, 0);
    workload.Go();
    EXPECT_EQ(NextMeant(inside), "[::ffff:192.0.2.1]:443");
    EXPECT_EQ(NextMeant(inside), "[::ffff:10.0.0.1]:1");
    EXPECT_EQ(NextMeant(inside), "[::ffff:192.168.1.1]:80");
    EXPECT_EQ(NextMeant(inside), "[2001:db8::5]:22");
    EXPECT_EQ(NextMeant(inside), "[::ffff:192.0.2.9]:81");
    EXPECT_EQ(NextMeant(inside), "[::ffff:127.0.0.53]:53");
    EXPECT_EQ(NextMeant(inside), "[::1]:53");
  });
  EXPECT_EQ(workload.Wait(), 0);
}

std::string CongestionControl(int socket) {
  std::array<char, 16> name{};
  socklen_t size = name.size();
  EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &size), 0);
  return name.data();
}

// Whatever the host's is. Only a default that paces, BBR for one, shows what it is good for.
TEST_F(Inside, NothingIsPacedWithinTheMachine) {
  constexpr std::pair<const char*, std::uint16_t> kTargets[] = {{"192.0.2.1", 443}, {"2001:db8::5", 22}};
  Workload workload([&] {
    for (const auto& [address, port] : kTargets) {
      const UniqueFd socket = Connected(address, port);
      if (!socket || CongestionControl(socket.Get()) != "reno") return 1;
    }
    return 0;
  });
  InProcess([&] {
    const InsideSockets inside = Open(workload);
    workload.Go();
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(Readable(inside.tcp[0]));
      const UniqueFd accepted{::accept4(inside.tcp[0], nullptr, nullptr, SOCK_CLOEXEC)};
      EXPECT_EQ(CongestionControl(accepted.Get()), "reno");
    }
  });
  EXPECT_EQ(workload.Wait(), 0);
}

TEST_F(Inside, LeavesLoopbackToTheWorkload) {
  Workload workload([] {
    const UniqueFd listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const sockaddr_in any = Four("0.0.0.0", 8080);
    if (::bind(listener.Get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0) return 1;
    if (::listen(listener.Get(), 5) != 0) return 2;
    for (const char* address : {"127.0.0.1", "192.0.0.8"}) {
      const UniqueFd client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
      const sockaddr_in own = Four(address, 8080);
      if (::connect(client.Get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) return 3;
      if (!UniqueFd{::accept(listener.Get(), nullptr, nullptr)}) return 4;
    }
    return Connect("127.0.0.1", 9999) == ECONNREFUSED && Connect("::1", 9999) == ECONNREFUSED ? 0 : 5;
  });
  InProcess([&] {
    Open(workload);
    workload.Go();
    EXPECT_EQ(workload.Wait(), 0);
  });
}

TEST_F(Inside, TheWorkloadCannotTakeTheGatewaysPortOrMark) {
  Workload workload([] {
    const UniqueFd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    const sockaddr_in port = Four("0.0.0.0", kGatewayPort);
    if (::bind(socket.Get(), reinterpret_cast<const sockaddr*>(&port), sizeof port) == 0) return 1;
    if (errno != EACCES) return 2;
    const auto mark = static_cast<int>(kAnswerMark);
    if (::setsockopt(socket.Get(), SOL_SOCKET, SO_MARK, &mark, sizeof mark) == 0) return 3;
    return errno == EPERM ? 0 : 4;
  });
  InProcess([&] {
    Open(workload);
    workload.Go();
    EXPECT_EQ(workload.Wait(), 0);
  });
}

TEST_F(Inside, MakesSocketsForPublishedPorts) {
  Workload workload([] { return 0; });
  InProcess([&] {
    EgressRules rules;
    EXPECT_EQ(PrepareInside(rules).published_connections, 0U);
    rules.publish = {{.host = 18080, .guest = 80}};
    const InsideSockets inside = Open(workload, rules);
    EXPECT_EQ(inside.View().inside.size(), 2 * kPublishedConnections);
  });
}

// The name of an expression that no kernel has stands for nft_limit where it is missing.
TEST_F(Inside, LogsAllThatItRefusesWhereTheKernelHasNoLimits) {
  Workload workload([] { return Connect("192.0.2.1", 443) == ECONNREFUSED ? 0 : 1; });
  InProcess([&] {
    InsideSetup setup = PrepareInside({});
    const auto rules = setup.rules.Bytes();
    std::vector<std::uint8_t> other(rules.begin(), rules.end());
    const std::string_view limit = "limit";
    for (auto at = other.begin();
         (at = std::search(at, other.end(), limit.begin(), limit.end())) != other.end();)
      *at = 'x';
    ASSERT_NE(other, std::vector<std::uint8_t>(rules.begin(), rules.end()));
    setup.rules = NetlinkBatch(other, setup.rules.Awaited());
    InsideSockets inside;
    InsideStep failed{};
    ASSERT_EQ(JoinNetwork(workload.Network().Get()), 0);
    ASSERT_EQ(OpenInside(setup, inside, failed), 0) << InsideError(failed, errno).message;
    workload.Go();
    EXPECT_TRUE(Readable(inside.refusals));
    EXPECT_EQ(workload.Wait(), 0);
  });
}

TEST(InsideErrors, RefusesADescriptorThatIsNoNamespace) {
  InProcess([] {
    const UniqueFd file{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    EXPECT_EQ(JoinNetwork(file.Get()), -1);
    EXPECT_EQ(errno, ENOTTY);
  });
}

TEST(InsideErrors, SaysWhatTheKernelLacks) {
  const Error error = InsideError(InsideStep::kSteer, EOPNOTSUPP);
  EXPECT_EQ(error.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(error.message, "could not load the gateway's nftables rules: Operation not supported");
  EXPECT_NE(error.hint.find("nft_tproxy"), std::string::npos);
}

}  // namespace
}  // namespace mxc::egress::inside_test
