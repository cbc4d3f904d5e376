#include "gateway/rules/names.h"

#include <algorithm>

#include "mxc/egress.h"

namespace mxc::egress {
namespace {

constexpr std::uint32_t kBase4 = (198U << 24U) | (18U << 16U);
// 198.18.0.0 is no host, .1 the host's loopback (kHostLoopbackNumber), .2 the name server.
constexpr std::uint32_t kFirstOfNames = 16;
// fd, then ASCII "mxc": a ULA prefix. Names use fd6d:7863:1::/96, whose last 32 bits are the number.
constexpr std::array<std::uint8_t, 12> kBase6 = {0xfd, 0x6d, 0x78, 0x63, 0, 1, 0, 0, 0, 0, 0, 0};

std::uint32_t Offset6(const IpAddress& address) {
  return (std::uint32_t{address.bytes[12]} << 24U) | (std::uint32_t{address.bytes[13]} << 16U) |
         (std::uint32_t{address.bytes[14]} << 8U) | address.bytes[15];
}

}  // namespace

SyntheticNames::SyntheticNames() : names_(kFirstOfNames, nullptr) {
  const auto [entry, added] = numbers_.emplace(std::string(kHostLoopbackName), kHostLoopbackNumber);
  names_[kHostLoopbackNumber] = &entry->first;
}

std::optional<std::uint32_t> SyntheticNames::Number(const std::string& name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  if (names_.size() >= kFirstOfNames + kMaxNames) return std::nullopt;
  const auto number = static_cast<std::uint32_t>(names_.size());
  const auto [entry, added] = numbers_.emplace(name, number);
  names_.push_back(&entry->first);
  return number;
}

IpAddress SyntheticNames::V4(std::uint32_t number) { return IpAddress::V4(kBase4 + number); }

IpAddress SyntheticNames::V6(std::uint32_t number) {
  IpAddress address{.ipv6 = true};
  std::copy(kBase6.begin(), kBase6.end(), address.bytes.begin());
  for (unsigned i = 0; i < 4; ++i) {
    address.bytes[12 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  }
  return address;
}

Cidr SyntheticNames::Range4() { return {.address = V4(0).bytes, .width = 32, .prefix = 15}; }

Cidr SyntheticNames::Range6() {
  Cidr range{.width = 128, .prefix = 32};
  std::copy_n(kBase6.begin(), 4, range.address.begin());
  return range;
}

Cidr SyntheticNames::Block6() { return {.address = V6(0).bytes, .width = 128, .prefix = 96}; }

bool SyntheticNames::IsSynthetic(const IpAddress& address) {
  return Contains(address.ipv6 ? Range6() : Range4(), address);
}

const std::string* SyntheticNames::Find(const IpAddress& address) const {
  if (!IsSynthetic(address)) return nullptr;
  if (address.ipv6 && !std::equal(kBase6.begin(), kBase6.end(), address.bytes.begin())) return nullptr;
  const std::uint32_t number = address.ipv6 ? Offset6(address) : address.V4Number() - kBase4;
  return number < names_.size() ? names_[number] : nullptr;
}

}  // namespace mxc::egress
