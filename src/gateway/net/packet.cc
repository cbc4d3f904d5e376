#include "gateway/net/packet.h"

namespace mxc::egress {
namespace {

constexpr std::uint8_t kUdp = 17, kIcmp = 1, kIcmp6 = 58;
constexpr std::uint8_t kHops = 64;
constexpr std::size_t kUdpHeader = 8;

void PutAddress(Bytes& out, const IpAddress& address) {
  const auto size = static_cast<std::ptrdiff_t>(address.ipv6 ? 16 : 4);
  out.insert(out.end(), address.bytes.begin(), address.bytes.begin() + size);
}

// RFC 1071, not yet complemented.
std::uint32_t Sum(ByteView bytes, std::uint32_t sum = 0) {
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    sum += std::uint32_t{bytes[i]} << 8U;
    if (i + 1 < bytes.size()) sum += bytes[i + 1];
    sum = (sum & 0xffffU) + (sum >> 16U);
  }
  return sum;
}

void StoreChecksum(Bytes& out, std::size_t at, std::uint32_t sum) {
  const auto value = static_cast<std::uint16_t>(~sum);
  out[at] = static_cast<std::uint8_t>(value >> 8U);
  out[at + 1] = static_cast<std::uint8_t>(value);
}

// The addresses, the length and the protocol that the checksums of UDP and ICMPv6 cover.
std::uint32_t PseudoSum(const IpAddress& from, const IpAddress& to, std::uint8_t protocol,
                        std::size_t length) {
  Bytes pseudo;
  PutAddress(pseudo, from);
  PutAddress(pseudo, to);
  Put16(pseudo, length);
  Put16(pseudo, protocol);
  return Sum(pseudo);
}

void PutIpHeader(Bytes& out, const IpAddress& from, const IpAddress& to, std::uint8_t protocol,
                 std::size_t length) {
  const std::size_t begin = out.size();
  if (from.ipv6) {
    out.insert(out.end(), {0x60, 0, 0, 0});
    Put16(out, length);
    out.insert(out.end(), {protocol, kHops});
  } else {
    out.insert(out.end(), {0x45, 0});
    Put16(out, length + 20);
    out.insert(out.end(), {0, 0, 0, 0, kHops, protocol, 0, 0});
  }
  PutAddress(out, from);
  PutAddress(out, to);
  if (!from.ipv6) StoreChecksum(out, begin + 10, Sum(ByteView(out).subspan(begin)));
}

void PutUdpHeader(Bytes& out, const IpEndpoint& from, const IpEndpoint& to, std::size_t length) {
  Put16(out, from.port);
  Put16(out, to.port);
  Put16(out, length);
  Put16(out, 0);
}

}  // namespace

Bytes UdpPacket(const IpEndpoint& from, const IpEndpoint& to, ByteView payload) {
  Bytes out;
  const std::size_t length = kUdpHeader + payload.size();
  out.reserve(length + 40);
  PutIpHeader(out, from.address, to.address, kUdp, length);
  const std::size_t begin = out.size();
  PutUdpHeader(out, from, to, length);
  out.insert(out.end(), payload.begin(), payload.end());
  StoreChecksum(out, begin + 6,
                Sum(ByteView(out).subspan(begin), PseudoSum(from.address, to.address, kUdp, length)));
  // Zero would mean "no checksum".
  if (out[begin + 6] == 0 && out[begin + 7] == 0) out[begin + 6] = out[begin + 7] = 0xff;
  return out;
}

Bytes UnreachablePacket(const IpEndpoint& client, const IpEndpoint& meant, std::size_t payload_size) {
  const bool ipv6 = client.address.ipv6;
  Bytes body = ipv6 ? Bytes{1, 4, 0, 0, 0, 0, 0, 0} : Bytes{3, 3, 0, 0, 0, 0, 0, 0};
  const std::size_t length = kUdpHeader + payload_size;
  PutIpHeader(body, client.address, meant.address, kUdp, length);  // of the packet it answers
  PutUdpHeader(body, client, meant, length);
  const std::uint32_t pseudo = ipv6 ? PseudoSum(meant.address, client.address, kIcmp6, body.size()) : 0;
  StoreChecksum(body, 2, Sum(body, pseudo));
  Bytes out;
  PutIpHeader(out, meant.address, client.address, ipv6 ? kIcmp6 : kIcmp, body.size());
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

}  // namespace mxc::egress
