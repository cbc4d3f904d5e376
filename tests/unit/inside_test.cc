// The gateway's sockets in a network namespace of the test's own.
#include "egress/inside.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>

#include "base/unique_fd.h"

namespace mxc::egress {
namespace {

void WriteFile(const char* path, const std::string& text) {
  const UniqueFd file{::open(path, O_WRONLY | O_CLOEXEC)};
  ASSERT_EQ(::write(file.Get(), text.data(), text.size()), static_cast<ssize_t>(text.size())) << path;
}

// A process in new user and network namespaces. It drops its capabilities when the gateway stands, as a
// workload would have, and runs `workload`.
class Workload {
 public:
  explicit Workload(const std::function<int()>& workload) {
    int ready[2];
    int go[2];
    EXPECT_EQ(::pipe2(ready, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(go, O_CLOEXEC), 0);
    const unsigned uid = ::geteuid();
    const unsigned gid = ::getegid();
    id_ = ::fork();
    if (id_ == 0) {
      if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) ::_exit(101);
      WriteFile("/proc/self/setgroups", "deny");
      WriteFile("/proc/self/uid_map", std::to_string(uid) + " " + std::to_string(uid) + " 1");
      WriteFile("/proc/self/gid_map", std::to_string(gid) + " " + std::to_string(gid) + " 1");
      char byte = 0;
      ::close(go[1]);
      if (::write(ready[1], "x", 1) != 1 || ::read(go[0], &byte, 1) != 1) ::_exit(102);
      __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
      const __user_cap_data_struct none[2] = {};
      if (::syscall(SYS_capset, &header, none) != 0) ::_exit(103);
      const auto status = static_cast<char>(workload());
      if (::write(ready[1], &status, 1) != 1) ::_exit(104);
      ::_exit(0);
    }
    ::close(ready[1]);
    ::close(go[0]);
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    result_ = UniqueFd{ready[0]};
    go_ = UniqueFd{go[1]};
  }
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;
  ~Workload() {
    ::kill(id_, SIGKILL);
    ::waitpid(id_, nullptr, 0);
  }

  [[nodiscard]] UniqueFd Network() const {
    return UniqueFd{::open(("/proc/" + std::to_string(id_) + "/ns/net").c_str(), O_RDONLY | O_CLOEXEC)};
  }
  void Go() const { ASSERT_EQ(::write(go_.Get(), "x", 1), 1); }
  // What the function returned; -1 when it did not end.
  [[nodiscard]] int Wait() const {
    char status = 0;
    return ::read(result_.Get(), &status, 1) == 1 ? status : -1;
  }

 private:
  pid_t id_ = -1;
  UniqueFd go_ = {};
  UniqueFd result_ = {};
};

// Runs `gateway` in a process of its own, because it changes its user namespace for good. The exit status is
// 0 when every expectation in there held.
void InProcess(const std::function<void()>& gateway) {
  const pid_t id = ::fork();
  if (id == 0) {
    gateway();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(id, &status, 0), id);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// What the launcher's helper does: joins the workload's namespaces and sets the network up.
InsideSockets Open(const Workload& workload, const EgressRules& rules = {}) {
  const InsideSetup setup = PrepareInside(rules);
  InsideSockets sockets;
  InsideStep failed{};
  EXPECT_EQ(JoinNetwork(workload.Network().Get()), 0) << std::strerror(errno);
  EXPECT_EQ(OpenInside(setup, sockets, failed), 0) << InsideError(failed, errno).message;
  return sockets;
}

sockaddr_in6 Six(const std::string& address, std::uint16_t port) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  EXPECT_EQ(::inet_pton(AF_INET6, address.c_str(), &six.sin6_addr), 1) << address;
  return six;
}

sockaddr_in Four(const std::string& address, std::uint16_t port) {
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  EXPECT_EQ(::inet_pton(AF_INET, address.c_str(), &four.sin_addr), 1) << address;
  return four;
}

std::string TextOf(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    return std::string(text.data()) + ":" + std::to_string(ntohs(four.sin_port));
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(six.sin6_port));
}

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

bool Readable(int fd) {
  pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&waiting, 1, 10000) == 1;
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

TEST(Inside, TakesEveryConnectionAndSaysWhoWasMeant) {
  Workload workload([] {
    if (Connect("192.0.2.1", 443) != 0) return 1;
    if (Connect("10.0.0.1", 1) != 0) return 2;
    if (Connect("169.254.169.254", 80) != 0) return 3;
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
    EXPECT_EQ(NextMeant(inside), "[::ffff:169.254.169.254]:80");
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
TEST(Inside, NothingIsPacedWithinTheMachine) {
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

TEST(Inside, LeavesLoopbackToTheWorkload) {
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

TEST(Inside, TakesDatagramsAndAnswersAsTheOneThatWasMeant) {
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

TEST(Inside, DropsWhatIsNeitherTcpNorUdp) {
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

TEST(Inside, TheWorkloadCannotTakeTheGatewaysPortOrMark) {
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

TEST(Inside, MakesSocketsForPublishedPorts) {
  Workload workload([] { return 0; });
  InProcess([&] {
    EgressRules rules;
    EXPECT_EQ(PrepareInside(rules).published_connections, 0U);
    rules.publish = {{.host = 18080, .guest = 80}};
    const InsideSockets inside = Open(workload, rules);
    EXPECT_EQ(inside.View().inside.size(), kPublishedConnections);
  });
}

TEST(Inside, RefusesADescriptorThatIsNoNamespace) {
  InProcess([] {
    const UniqueFd file{::open("/dev/null", O_RDONLY | O_CLOEXEC)};
    EXPECT_EQ(JoinNetwork(file.Get()), -1);
    EXPECT_EQ(errno, ENOTTY);
  });
}

TEST(Inside, SaysWhatTheKernelLacks) {
  const Error error = InsideError(InsideStep::kSteer, EOPNOTSUPP);
  EXPECT_EQ(error.code, ErrorCode::kSetupFailed);
  EXPECT_EQ(error.message, "could not load the gateway's nftables rules: Operation not supported");
  EXPECT_NE(error.hint.find("nft_tproxy"), std::string::npos);
}

}  // namespace
}  // namespace mxc::egress
