#include "gateway/rules/address.h"

#include <algorithm>
#include <vector>

namespace mxc::egress {
namespace {

struct Row {
  std::string_view block;
  std::string_view what;
  bool is_private = false;
};

constexpr std::string_view kReserved6 = "reserved";

// Documentation ranges are not in it: nobody's hosts stand there.
constexpr Row kRows[] = {
    {"0.0.0.0/8", "this host"},
    {"127.0.0.0/8", "loopback"},
    {"169.254.0.0/16", "link-local and cloud metadata"},
    {"168.63.129.16/32", "Azure platform agent"},
    {"100.100.100.200/32", "cloud metadata"},
    {"192.0.0.0/24", "protocol assignments"},
    {"198.18.0.0/15", "the gateway's own names"},
    {"192.88.99.0/24", "relays of 6to4"},
    {"224.0.0.0/4", "multicast"},
    {"240.0.0.0/4", "reserved and broadcast"},
    {"10.0.0.0/8", "private network", true},
    {"172.16.0.0/12", "private network", true},
    {"192.168.0.0/16", "private network", true},
    {"100.64.0.0/10", "shared address space", true},
    {"::/128", "this host"},
    {"::1/128", "loopback"},
    {"fe80::/10", "link-local"},
    {"fec0::/10", "site-local"},
    {"ff00::/8", "multicast"},
    // Within fc00::/7, in the providers' documentation: Amazon (instances, and credentials of containers),
    // Google, Oracle, Scaleway, Akamai, Alibaba.
    {"fd00:ec2::/32", "cloud metadata"},
    {"fd20:ce::254/128", "cloud metadata"},
    {"fd00:c1::a9fe:a9fe/128", "cloud metadata"},
    {"fd00:42::42/128", "cloud metadata"},
    {"fd00:a9fe:a9fe::1/128", "cloud metadata"},
    {"fd00:100::100:200/128", "cloud metadata"},
    {"fd6d:7863::/32", "the gateway's own names"},
    {"fc00::/7", "private network", true},
    // Local-use NAT64: where the IPv4 address stands in it is the network's choice.
    {"64:ff9b:1::/48", "NAT64 of an unknown form"},
    // Special purposes within 2000::/3 (IANA's registry), and what lies outside of it: nothing is assigned
    // there that a public name could lead to. ::/8 holds the forms that embed an IPv4 address.
    {"2001:2::/48", "benchmarking"},
    {"2001:10::/28", "identifiers, no addresses"},
    {"2001:20::/28", "identifiers, no addresses"},
    {"100::/8", kReserved6},
    {"200::/7", kReserved6},
    {"400::/6", kReserved6},
    {"800::/5", kReserved6},
    {"1000::/4", kReserved6},
    {"4000::/2", kReserved6},
    {"8000::/2", kReserved6},
    {"c000::/3", kReserved6},
    {"e000::/4", kReserved6},
    {"f000::/5", kReserved6},
    {"f800::/6", kReserved6},
    {"fe00::/9", kReserved6},
};

std::vector<BlockedRange> MakeTable() {
  std::vector<BlockedRange> table;
  for (const Row& row : kRows) {
    table.push_back({*ParseCidr(row.block, HostBits::kRefuse), "always blocked: " + std::string(row.what),
                     row.is_private});
  }
  // The narrowest first: metadata addresses stand inside private blocks.
  std::stable_sort(table.begin(), table.end(), [](const BlockedRange& a, const BlockedRange& b) {
    return a.block.prefix > b.block.prefix;
  });
  return table;
}

Cidr BlockOf(const IpAddress& address) {
  const auto width = static_cast<std::uint8_t>(address.ipv6 ? 128 : 32);
  return {.address = address.bytes, .width = width, .prefix = width};
}

bool StartsWith(const IpAddress& address, std::initializer_list<std::uint8_t> head) {
  return std::equal(head.begin(), head.end(), address.bytes.begin());
}

std::uint32_t NumberAt(const std::array<std::uint8_t, 16>& bytes, std::size_t at) {
  return (std::uint32_t{bytes[at]} << 24U) | (std::uint32_t{bytes[at + 1]} << 16U) |
         (std::uint32_t{bytes[at + 2]} << 8U) | bytes[at + 3];
}

}  // namespace

IpAddress IpAddress::V4(std::uint32_t host_order) {
  IpAddress address;
  for (std::size_t i = 0; i < 4; ++i) {
    address.bytes[i] = static_cast<std::uint8_t>(host_order >> (24 - 8 * i));
  }
  return address;
}

IpAddress IpAddress::Loopback6() {
  IpAddress address{.ipv6 = true};
  address.bytes[15] = 1;
  return address;
}

std::optional<IpAddress> IpAddress::Parse(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return std::nullopt;
  const Result<Cidr> block = ParseCidr(text, HostBits::kRefuse);
  if (!block) return std::nullopt;
  return IpAddress{block->address, block->width == 128};
}

std::uint32_t IpAddress::V4Number() const { return NumberAt(bytes, 0); }

std::string IpAddress::Text() const {
  std::string text = CidrText(BlockOf(*this));
  text.resize(text.find('/'));
  return text;
}

IpAddress IpAddress::Unmapped() const {
  const bool mapped = ipv6 && StartsWith(*this, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff});
  return mapped ? V4(NumberAt(bytes, 12)) : *this;
}

std::vector<IpAddress> IpAddress::Readings() const {
  std::vector<IpAddress> readings = {Unmapped()};
  if (!readings.front().ipv6) return readings;
  const auto add = [&](std::uint32_t address) { readings.push_back(V4(address)); };
  constexpr std::array<std::uint8_t, 12> kZero = {};
  if (StartsWith(*this, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) add(NumberAt(bytes, 12));
  if (StartsWith(*this, {0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0})) add(NumberAt(bytes, 12));
  // ISATAP: an interface identifier under any prefix.
  if ((NumberAt(bytes, 8) & ~0x02000000U) == 0x00005efe) add(NumberAt(bytes, 12));
  if (StartsWith(*this, {0x20, 0x02})) add(NumberAt(bytes, 2));
  if (StartsWith(*this, {0x20, 0x01, 0, 0})) add(~NumberAt(bytes, 12));
  // IPv4-compatible, but for :: and ::1.
  if (std::equal(kZero.begin(), kZero.end(), bytes.begin()) && NumberAt(bytes, 12) > 1)
    add(NumberAt(bytes, 12));
  return readings;
}

bool IpAddress::IsLoopback() const {
  const IpAddress same = Unmapped();
  if (!same.ipv6) return same.bytes[0] == 127;
  return same == Loopback6();
}

bool Contains(const Cidr& block, const IpAddress& address) { return Contains(block, BlockOf(address)); }

const std::vector<BlockedRange>& BlockedRanges() {
  static const std::vector<BlockedRange> kRanges = MakeTable();
  return kRanges;
}

std::string IpEndpoint::Text() const {
  const std::string number = ":" + std::to_string(port);
  return address.ipv6 ? "[" + address.Text() + "]" + number : address.Text() + number;
}

const BlockedRange* FindBlocked(const IpAddress& address) {
  const std::vector<BlockedRange>& table = BlockedRanges();
  const BlockedRange* found = nullptr;
  for (const IpAddress& reading : address.Readings()) {
    const auto range = std::find_if(table.begin(), table.end(),
                                    [&](const BlockedRange& each) { return Contains(each.block, reading); });
    if (range != table.end() && (found == nullptr || found->is_private)) found = &*range;
  }
  return found;
}

const BlockedRange* FindOwn(const IpAddress& address) {
  for (const IpAddress& reading : address.Readings()) {
    const bool zero = reading.ipv6 ? reading == IpAddress{.ipv6 = true} : reading.bytes[0] == 0;
    if (zero || reading.IsLoopback()) return FindBlocked(reading);
  }
  return nullptr;
}

bool LiesInBlocked(const Cidr& block) {
  const std::vector<BlockedRange>& table = BlockedRanges();
  return std::any_of(table.begin(), table.end(),
                     [&](const BlockedRange& range) { return Contains(range.block, block); });
}

}  // namespace mxc::egress
