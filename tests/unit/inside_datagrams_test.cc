// Datagrams of a workload, and what the gateway answers in the name of others.
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>

#include "tests/unit/inside_workload.h"

namespace mxc::egress::inside_datagrams_test {
namespace {

// The meant destination of the next datagram.
std::string MeantOf(const InsideSockets& inside, sockaddr_storage& from, sockaddr_storage& meant) {
  if (!Readable(inside.udp[0])) return "nothing";
  std::array<char, 64> text{};
  alignas(cmsghdr) std::array<char, 256> control{};
  iovec part{.iov_base = text.data(), .iov_len = text.size()};
  msghdr message{};
  message.msg_name = &from;
  message.msg_namelen = sizeof from;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(inside.udp[0], &message, 0);
  if (count < 0) return "no datagram";
  for (cmsghdr* one = CMSG_FIRSTHDR(&message); one != nullptr; one = CMSG_NXTHDR(&message, one)) {
    const bool four = one->cmsg_level == SOL_IP && one->cmsg_type == IP_ORIGDSTADDR;
    const bool six = one->cmsg_level == SOL_IPV6 && one->cmsg_type == IPV6_ORIGDSTADDR;
    if (four) std::memcpy(&meant, CMSG_DATA(one), sizeof(sockaddr_in));
    if (six) std::memcpy(&meant, CMSG_DATA(one), sizeof(sockaddr_in6));
  }
  return std::string(text.data(), static_cast<std::size_t>(count)) + " to " + TextOf(meant);
}

int Ask(const std::string& address, std::uint16_t port, const std::string& question) {
  const bool ipv6 = address.find(':') != std::string::npos;
  const UniqueFd socket{::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  const sockaddr_in6 six = ipv6 ? Six(address, port) : sockaddr_in6{};
  const sockaddr_in four = ipv6 ? sockaddr_in{} : Four(address, port);
  const auto* target =
      ipv6 ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
  if (::connect(socket.Get(), target, ipv6 ? sizeof six : sizeof four) != 0) return errno;
  if (::send(socket.Get(), question.data(), question.size(), 0) < 0) return errno;
  std::array<char, 64> answer{};
  if (!Readable(socket.Get())) return ETIMEDOUT;
  return ::recv(socket.Get(), answer.data(), answer.size(), 0) == 5 ? 0
                                                                    : EPROTO;  // connected: only from there
}

std::uint32_t Sum(const void* data, std::size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < size; ++i)
    sum += static_cast<std::uint32_t>(bytes[i]) << (i % 2 == 0 ? 8U : 0U);
  return sum;
}

udphdr Header(std::uint16_t from, std::uint16_t to, std::size_t size) {
  udphdr udp{};
  udp.source = from;
  udp.dest = to;
  udp.len = htons(static_cast<std::uint16_t>(sizeof udp + size));
  return udp;
}

// Answers as the one that was meant, with a packet written whole. The dual-stack socket said who asked as
// ::ffff:a.b.c.d.
void Answer(const InsideSockets& inside, const sockaddr_storage& from, const sockaddr_storage& meant) {
  const std::string text = "reply";
  const auto& asker = reinterpret_cast<const sockaddr_in6&>(from);
  std::string packet;
  if (meant.ss_family == AF_INET) {
    const auto& source = reinterpret_cast<const sockaddr_in&>(meant);
    const udphdr udp = Header(source.sin_port, asker.sin6_port, text.size());  // no checksum
    sockaddr_in to = Four("0.0.0.0", 0);
    std::memcpy(&to.sin_addr, asker.sin6_addr.s6_addr + 12, 4);
    iphdr ip{};
    ip.version = 4;
    ip.ihl = 5;
    ip.ttl = 64;
    ip.protocol = IPPROTO_UDP;
    ip.saddr = source.sin_addr.s_addr;
    ip.daddr = to.sin_addr.s_addr;
    packet.append(reinterpret_cast<const char*>(&ip), sizeof ip);
    packet.append(reinterpret_cast<const char*>(&udp), sizeof udp).append(text);
    ASSERT_EQ(::sendto(inside.raw4, packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&to),
                       sizeof to),
              static_cast<ssize_t>(packet.size()))
        << std::strerror(errno);
    return;
  }
  const auto& source = reinterpret_cast<const sockaddr_in6&>(meant);
  udphdr udp = Header(source.sin6_port, asker.sin6_port, text.size());
  std::uint32_t sum = IPPROTO_UDP + sizeof udp + static_cast<std::uint32_t>(text.size());
  sum += Sum(&source.sin6_addr, 16) + Sum(&asker.sin6_addr, 16) + Sum(&udp, sizeof udp) + Sum(text.data(), 5);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16U);
  udp.check = htons(static_cast<std::uint16_t>(~sum));
  ip6_hdr ip{};
  ip.ip6_flow = htonl(6U << 28U);
  ip.ip6_plen = udp.len;
  ip.ip6_nxt = IPPROTO_UDP;
  ip.ip6_hlim = 64;
  ip.ip6_src = source.sin6_addr;
  ip.ip6_dst = asker.sin6_addr;
  packet.append(reinterpret_cast<const char*>(&ip), sizeof ip);
  packet.append(reinterpret_cast<const char*>(&udp), sizeof udp).append(text);
  sockaddr_in6 to = asker;
  to.sin6_port = 0;
  ASSERT_EQ(::sendto(inside.raw6, packet.data(), packet.size(), 0, reinterpret_cast<const sockaddr*>(&to),
                     sizeof to),
            static_cast<ssize_t>(packet.size()))
      << std::strerror(errno);
}

class InsideDatagrams : public test::NamespacesTest {};

TEST_F(InsideDatagrams, TakesDatagramsAndAnswersAsTheOneThatWasMeant) {
  Workload workload([] {
    if (Ask("192.0.2.53", 53, "four") != 0) return 1;
    if (Ask("127.0.0.53", 53, "stub") != 0) return 2;
    return Ask("2001:db8::7", 4433, "six") == 0 ? 0 : 3;
  });
  InProcess([&] {
    const InsideSockets inside = Open(workload);
    workload.Go();
    for (const char* expected :
         {"four to 192.0.2.53:53", "stub to 127.0.0.53:53", "six to [2001:db8::7]:4433"}) {
      sockaddr_storage from{};
      sockaddr_storage meant{};
      ASSERT_EQ(MeantOf(inside, from, meant), expected);
      Answer(inside, from, meant);
    }
    EXPECT_EQ(workload.Wait(), 0);
  });
}

TEST_F(InsideDatagrams, DropsWhatIsNeitherTcpNorUdp) {
  Workload workload([] { return 0; });
  InProcess([&] {
    Open(workload);
    const UniqueFd raw{::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP)};
    ASSERT_TRUE(static_cast<bool>(raw));
    const std::array<unsigned char, 8> echo = {8, 0, 0xf7, 0xfe, 0, 1, 0, 0};
    const auto ping = [&](const std::string& address) {
      const sockaddr_in to = Four(address, 0);
      const auto* target = reinterpret_cast<const sockaddr*>(&to);
      return ::sendto(raw.Get(), echo.data(), echo.size(), 0, target, sizeof to) < 0 ? errno : 0;
    };
    EXPECT_EQ(ping("192.0.2.1"), EPERM);
    EXPECT_EQ(ping("127.0.0.1"), 0);
  });
}

}  // namespace
}  // namespace mxc::egress::inside_datagrams_test
