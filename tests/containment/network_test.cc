// The network, when it is denied and when it is shared.
#include "tests/containment/containment.h"
#include "tests/support/listener.h"

namespace mxc::test::network_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class NetworkPolicy : public ContainmentTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(NetworkPolicy);

TEST_P(NetworkPolicy, DeniedMeansNotEvenTheHostsLoopback) {
  const Listener tcp = Listener::Tcp("127.0.0.1");
  const Listener udp = Listener::Udp("127.0.0.1");
  EXPECT_THAT(Try({}, {{"connect", "tcp", "127.0.0.1", tcp.Port(), "x"},
                       {"connect", "tcp", "0.0.0.0", tcp.Port(), "x"},
                       {"connect", "tcp", "::ffff:127.0.0.1", tcp.Port(), "x"},
                       {"connect", "udp", "127.0.0.1", udp.Port(), "x"}}),
              ElementsAre("ECONNREFUSED", "ECONNREFUSED", "ECONNREFUSED", "ok"))
      << "the loopback of the sandbox has no server; a datagram to nobody is sent";
  EXPECT_FALSE(tcp.WasReached());
  EXPECT_FALSE(udp.WasReached());
}

TEST_P(NetworkPolicy, DeniedMeansNotTheHostsIpv6LoopbackEither) {
  if (!Exists("/proc/net/if_inet6") || Contents("/proc/net/if_inet6")->empty())
    GTEST_SKIP() << "the host has no IPv6";
  const Listener tcp = Listener::Tcp("::1");
  EXPECT_THAT(Try({}, {{"connect", "tcp", "::1", tcp.Port(), "x"}}), ElementsAre("ECONNREFUSED"));
  EXPECT_FALSE(tcp.WasReached());
}

TEST_P(NetworkPolicy, DeniedMeansNoOtherHost) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a network to try it in";
  const PrivateNetwork network({"192.0.2.1", "169.254.169.254"});
  const Listener server = Listener::Tcp("192.0.2.1");
  const Listener names = Listener::Udp("192.0.2.1");
  const Listener metadata = Listener::Tcp("169.254.169.254");
  EXPECT_THAT(Try({}, {{"connect", "tcp", "192.0.2.1", server.Port(), "x"},
                       {"connect", "udp", "192.0.2.1", names.Port(), "x"},
                       {"connect", "tcp", "169.254.169.254", metadata.Port(), "x"}}),
              ElementsAre("ENETUNREACH", "ENETUNREACH", "ENETUNREACH"));
  EXPECT_FALSE(server.WasReached());
  EXPECT_FALSE(names.WasReached());
  EXPECT_FALSE(metadata.WasReached());
}

// The control: with the host's network the same connections arrive.
TEST_P(NetworkPolicy, SharedWhereTheLegacyDialectAsksForAll) {
  const Listener tcp = Listener::Tcp("127.0.0.1");
  EXPECT_THAT(
      Try({.version = "0.6.0-alpha", .network = R"({"defaultPolicy":"allow","allowLocalNetwork":true})"},
          {{"connect", "tcp", "127.0.0.1", tcp.Port(), "x"}}),
      ElementsAre("ok"));
  EXPECT_TRUE(tcp.WasReached());
}

TEST_P(NetworkPolicy, ListsOfTheLegacyDialectDoNotOpenEverything) {
  const Listener tcp = Listener::Tcp("127.0.0.1");
  for (const char* network :
       {R"({"defaultPolicy":"block","allowedHosts":["192.0.2.1"]})",
        R"({"defaultPolicy":"allow","blockedHosts":["127.0.0.1"]})",
        R"({"defaultPolicy":"allow","allowLocalNetwork":true,"blockedHosts":["127.0.0.1"]})"}) {
    const Ended ended = Execute(PrepareGuest({.version = "0.6.0-alpha", .network = network},
                                             {{"connect", "tcp", "127.0.0.1", tcp.Port(), "x"}}));
    EXPECT_NE(ended.out, "ok\n") << network;
    EXPECT_FALSE(tcp.WasReached()) << network;
  }
}

TEST_P(NetworkPolicy, TheSandboxHasALoopbackOfItsOwn) {
  EXPECT_THAT(Try({}, {{"ownloopback"}}), ElementsAre("ok"));
}

TEST_P(NetworkPolicy, SocketsOfTheHostAreNotListed) {
  const Listener tcp = Listener::Tcp("127.0.0.1");
  std::array<char, 8> port{};
  std::snprintf(port.data(), port.size(), ":%04X ", std::stoi(tcp.Port()));
  EXPECT_THAT(*Contents("/proc/net/tcp"), HasSubstr(port.data()));
  EXPECT_THAT(Try({}, {{"read", "/proc/net/tcp"}}), Not(Contains(HasSubstr(port.data()))));
}

}  // namespace
}  // namespace mxc::test::network_test
