#include "base/cidr.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace mxc {
namespace {

Error Reason(std::string text) { return {.code = ErrorCode::kSchema, .message = std::move(text)}; }

bool IsDecimal(char c) { return c >= '0' && c <= '9'; }

// A decimal number of at most three digits, without a leading zero.
std::optional<std::uint32_t> ParseSmallNumber(std::string_view text) {
  if (text.empty() || text.size() > 3 || !std::all_of(text.begin(), text.end(), IsDecimal))
    return std::nullopt;
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text) value = value * 10 + static_cast<std::uint32_t>(c - '0');
  return value;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// The four bytes of an IPv4 address.
std::optional<std::vector<std::uint8_t>> ParseIpv4(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  for (const std::string_view part : Split(text, '.')) {
    const auto number = ParseSmallNumber(part);
    if (!number || *number > 255 || bytes.size() == 4) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(*number));
  }
  if (bytes.size() != 4) return std::nullopt;
  return bytes;
}

std::optional<std::uint32_t> ParseHexGroup(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  std::uint32_t value = 0;
  for (const char c : text) {
    const auto lower = static_cast<char>(c | 0x20);
    std::uint32_t digit = 0;
    if (IsDecimal(c)) {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      digit = static_cast<std::uint32_t>(lower - 'a') + 10;
    } else {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return value;
}

// The bytes of groups separated by colons, without "::". `last` groups may end in an IPv4 address.
std::optional<std::vector<std::uint8_t>> ParseGroups(std::string_view text, bool last) {
  std::vector<std::uint8_t> bytes;
  if (text.empty()) return bytes;
  const std::vector<std::string_view> parts = Split(text, ':');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (last && i + 1 == parts.size() && parts[i].find('.') != std::string_view::npos) {
      const auto ipv4 = ParseIpv4(parts[i]);
      if (!ipv4) return std::nullopt;
      bytes.insert(bytes.end(), ipv4->begin(), ipv4->end());
      continue;
    }
    const auto group = ParseHexGroup(parts[i]);
    if (!group) return std::nullopt;
    bytes.push_back(static_cast<std::uint8_t>(*group >> 8U));
    bytes.push_back(static_cast<std::uint8_t>(*group & 0xFFU));
  }
  return bytes;
}

std::optional<std::vector<std::uint8_t>> ParseIpv6(std::string_view text) {
  const auto gap = text.find("::");
  if (gap == std::string_view::npos) {
    auto bytes = ParseGroups(text, true);
    if (!bytes || bytes->size() != 16) return std::nullopt;
    return bytes;
  }
  auto head = ParseGroups(text.substr(0, gap), false);
  const auto tail = ParseGroups(text.substr(gap + 2), true);
  // "::" stands for at least one group.
  if (!head || !tail || head->size() + tail->size() > 14) return std::nullopt;
  head->resize(16 - tail->size());
  head->insert(head->end(), tail->begin(), tail->end());
  return head;
}

// Clears the bits behind the prefix; true when one of them was set.
bool ClearHostBits(Cidr& block) {
  bool cleared = false;
  for (std::size_t bit = block.prefix; bit < block.width; ++bit) {
    const auto mask = static_cast<std::uint8_t>(0x80U >> (bit % 8));
    cleared = cleared || (block.address[bit / 8] & mask) != 0;
    block.address[bit / 8] = static_cast<std::uint8_t>(block.address[bit / 8] & ~mask);
  }
  return cleared;
}

// RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups (the first of equals)
// as "::".
std::string Ipv6Text(const std::array<std::uint8_t, 16>& address) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::array<std::uint32_t, 8> groups = {};
  for (std::size_t i = 0; i < 8; ++i) groups[i] = address[2 * i] * 256U + address[2 * i + 1];
  std::size_t run_start = 8;
  std::size_t run_length = 1;
  for (std::size_t i = 0; i < 8; ++i) {
    std::size_t end = i;
    while (end < 8 && groups[end] == 0) ++end;
    if (end - i > run_length) {
      run_start = i;
      run_length = end - i;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < 8; ++i) {
    if (i == run_start) {
      text += "::";
      i += run_length - 1;
      continue;
    }
    if (!text.empty() && text.back() != ':') text += ':';
    bool started = false;
    for (const unsigned shift : {12U, 8U, 4U, 0U}) {
      const std::uint32_t digit = (groups[i] >> shift) & 0xFU;
      started = started || digit != 0 || shift == 0;
      if (started) text += kDigits[digit];
    }
  }
  return text;
}

}  // namespace

Result<Cidr> ParseCidr(std::string_view text, HostBits host_bits) {
  const auto slash = text.find('/');
  const std::string_view address = text.substr(0, slash);
  const bool is_ipv6 = address.find(':') != std::string_view::npos;
  const auto bytes = is_ipv6 ? ParseIpv6(address) : ParseIpv4(address);
  if (!bytes) return Reason("not an IPv4 or IPv6 address");
  Cidr block;
  std::copy(bytes->begin(), bytes->end(), block.address.begin());
  block.width = is_ipv6 ? 128 : 32;
  block.prefix = block.width;
  if (slash != std::string_view::npos) {
    const auto prefix = ParseSmallNumber(text.substr(slash + 1));
    if (!prefix) return Reason("the prefix is not a number");
    if (*prefix > block.width) {
      return Reason("the prefix is longer than " + std::to_string(block.width) + " bits");
    }
    block.prefix = static_cast<std::uint8_t>(*prefix);
  }
  if (ClearHostBits(block) && host_bits == HostBits::kRefuse) {
    return Reason("address bits behind the prefix are set; the block is " + CidrText(block));
  }
  return block;
}

std::string CidrText(const Cidr& block) {
  std::string text;
  if (block.width == 128) {
    text = Ipv6Text(block.address);
  } else {
    for (std::size_t i = 0; i < 4; ++i) text += (i == 0 ? "" : ".") + std::to_string(block.address[i]);
  }
  return text + "/" + std::to_string(block.prefix);
}

bool Contains(const Cidr& outer, const Cidr& inner) {
  if (outer.width != inner.width || outer.prefix > inner.prefix) return false;
  Cidr cut = inner;
  cut.prefix = outer.prefix;
  ClearHostBits(cut);
  return cut.address == outer.address;
}

Cidr Unmapped(const Cidr& block) {
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (block.width != 128 || block.prefix < 96) return block;
  if (!std::equal(kMapped.begin(), kMapped.end(), block.address.begin())) return block;
  Cidr ipv4{.width = 32, .prefix = static_cast<std::uint8_t>(block.prefix - 96)};
  std::copy(block.address.begin() + 12, block.address.end(), ipv4.address.begin());
  return ipv4;
}

}  // namespace mxc
