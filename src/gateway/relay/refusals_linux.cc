#include "gateway/relay/refusals_linux.h"

#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_log.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "gateway/relay/destination_linux.h"

namespace mxc::egress {
namespace {

constexpr int kRefusalsPerTurn = 64;
// More than their buffers hold: others that come meanwhile are read later.
constexpr int kMostThere = 16384;

constexpr std::size_t Aligned(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

template <class Value>
std::optional<Value> Front(ByteView bytes) {
  if (bytes.size() < sizeof(Value)) return std::nullopt;
  Value value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

ByteView Behind(ByteView bytes, std::size_t size) { return bytes.subspan(std::min(bytes.size(), size)); }

// RFC 8200, 4: headers that say their own length.
bool IsExtension(std::uint8_t header) {
  return header == IPPROTO_HOPOPTS || header == IPPROTO_ROUTING || header == IPPROTO_DSTOPTS;
}

}  // namespace

void ReadLog(ByteView message, const std::function<void(ByteView packet)>& on_packet) {
  constexpr std::uint16_t kPacket = (NFNL_SUBSYS_ULOG << 8U) | NFULNL_MSG_PACKET;
  while (const auto header = Front<nlmsghdr>(message)) {
    if (header->nlmsg_len < sizeof *header || header->nlmsg_len > message.size()) return;
    ByteView rest = Behind(message.first(header->nlmsg_len), sizeof *header + sizeof(nfgenmsg));
    message = Behind(message, Aligned(header->nlmsg_len));
    if (header->nlmsg_type != kPacket) continue;
    while (const auto attribute = Front<nlattr>(rest)) {
      if (attribute->nla_len < sizeof *attribute || attribute->nla_len > rest.size()) break;
      if ((attribute->nla_type & NLA_TYPE_MASK) == NFULA_PAYLOAD)
        on_packet(rest.first(attribute->nla_len).subspan(sizeof *attribute));
      rest = Behind(rest, Aligned(attribute->nla_len));
    }
  }
}

std::optional<LoggedPacket> ReadLoggedPacket(ByteView packet) {
  constexpr std::size_t kHeader6 = 40;
  if (packet.empty()) return std::nullopt;
  const bool ipv6 = packet[0] >> 4U == 6;
  std::size_t header = ipv6 ? kHeader6 : (packet[0] & 0x0fU) * std::size_t{4};
  if (packet.size() < header + 4 || header < 20) return std::nullopt;
  std::uint8_t protocol = packet[ipv6 ? 6 : 9];
  while (ipv6 && IsExtension(protocol)) {
    protocol = packet[header];
    header += (packet[header + 1] + std::size_t{1}) * 8;
    if (packet.size() < header + 4) return std::nullopt;
  }
  if (protocol != IPPROTO_TCP && protocol != IPPROTO_UDP) return std::nullopt;
  LoggedPacket logged{.protocol = protocol == IPPROTO_TCP ? Protocol::kTcp : Protocol::kUdp};
  logged.meant.address.ipv6 = ipv6;
  std::copy_n(packet.begin() + (ipv6 ? 24 : 16), ipv6 ? 16 : 4, logged.meant.address.bytes.begin());
  logged.meant.port = static_cast<std::uint16_t>((packet[header + 2] << 8U) | packet[header + 3]);
  return logged;
}

bool RefusalLog::Open() { return !socket_ || services_.loop.Watch(socket_.Get(), EPOLLIN, *this); }

bool RefusalLog::ReadSome() {
  std::array<std::uint8_t, 8192> buffer{};
  const ssize_t count = ::recv(socket_.Get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (count < 0) return errno == EINTR;
  ReadLog({buffer.data(), static_cast<std::size_t>(count)}, [this](ByteView packet) {
    const std::optional<LoggedPacket> logged = ReadLoggedPacket(packet);
    if (!logged) return services_.reporter.Lose(1);
    const bool tcp = logged->protocol == Protocol::kTcp;
    Destination destination(services_, tcp ? GatewayEvent::kConnection : GatewayEvent::kFlow,
                            logged->protocol, logged->meant);
    destination.DescribeRefusal();
    services_.reporter.Report(destination.Record());
  });
  return true;
}

// Each refusal is a message of its own (BindLog): it arrives, or counts as dropped.
void RefusalLog::CountOthers() {
  std::uint32_t dropped = 0;
  for (const UniqueFd* log : {&socket_, &counted_}) {
    std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
    socklen_t size = sizeof memory;
    ::getsockopt(log->Get(), SOL_SOCKET, SO_MEMINFO, memory.data(), &size);
    dropped += memory[SK_MEMINFO_DROPS];
  }
  std::uint64_t others = dropped - std::exchange(no_room_, dropped);  // the kernel's number may wrap
  std::uint8_t byte = 0;
  for (int i = 0; i < kMostThere && ::recv(counted_.Get(), &byte, 1, MSG_DONTWAIT) >= 0; ++i) ++others;
  services_.reporter.Lose(others);
}

void RefusalLog::OnEvents(std::uint32_t /*events*/) {
  CountOthers();
  for (int i = 0; i < kRefusalsPerTurn; ++i) {
    if (!ReadSome()) return;
  }
}

void RefusalLog::Drain() {
  if (!socket_) return;
  for (int i = 0; i < kMostThere && ReadSome(); ++i) {
  }
  CountOthers();
}

}  // namespace mxc::egress
