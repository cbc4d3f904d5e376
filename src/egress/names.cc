#include "egress/names.h"

#include <algorithm>

#include "mxc/egress.h"

namespace mxc::egress {
namespace {

constexpr std::uint32_t kBase4 = (198U << 24U) | (18U << 16U);
// 198.18.0.0 is no host, .1 the host's loopback, .2 the name server.
constexpr std::uint32_t kFirst = 1;
constexpr std::uint32_t kFirstOfNames = 16;
// fd6d:7863::/32 is ours by the choice of its 24 "random" bits; the rest is the number.
constexpr std::array<std::uint8_t, 12> kBase6 = {0xfd, 0x6d, 0x78, 0x63, 0, 1, 0, 0, 0, 0, 0, 0};

std::uint32_t Offset6(const IpAddress& address) {
  return (std::uint32_t{address.bytes[12]} << 24U) | (std::uint32_t{address.bytes[13]} << 16U) |
         (std::uint32_t{address.bytes[14]} << 8U) | address.bytes[15];
}

}  // namespace

SyntheticNames::SyntheticNames() : names_(kFirstOfNames, nullptr) {
  const auto [entry, added] = numbers_.emplace(std::string(kHostLoopbackName), kFirst);
  names_[kFirst] = &entry->first;
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

bool SyntheticNames::IsSynthetic(const IpAddress& address) {
  if (!address.ipv6) return (address.V4Number() & 0xfffe0000U) == kBase4;
  return std::equal(kBase6.begin(), kBase6.begin() + 4, address.bytes.begin());
}

const std::string* SyntheticNames::Find(const IpAddress& address) const {
  if (!IsSynthetic(address)) return nullptr;
  if (address.ipv6 && !std::equal(kBase6.begin(), kBase6.end(), address.bytes.begin())) return nullptr;
  const std::uint32_t number = address.ipv6 ? Offset6(address) : address.V4Number() - kBase4;
  return number < names_.size() ? names_[number] : nullptr;
}

}  // namespace mxc::egress
