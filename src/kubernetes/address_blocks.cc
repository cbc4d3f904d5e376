#include "kubernetes/address_blocks.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kubernetes/json_access.h"

namespace mxc::kubernetes {
namespace {

struct Range {
  std::string_view name;
  bool embedded = false;  // IPv4 addresses, which IPv6 holds as well
};

constexpr Range kPrivate[] = {
    {"10.0.0.0/8", true},    {"172.16.0.0/12", true},  {"192.168.0.0/16", true},
    {"100.64.0.0/10", true}, {"169.254.0.0/16", true}, {"fc00::/7"},
    {"fe80::/10"},           {"64:ff9b:1::/48"},
};
// Mapped addresses, and what a NAT64 makes IPv4 of.
constexpr std::string_view kEmbedding[] = {"::ffff:0:0/96", "64:ff9b::/96"};
constexpr std::uint8_t kEmbeddingBits = 96;
constexpr std::uint8_t kEverybodyBits = 8;

Cidr BlockOf(std::string_view text) { return *ParseCidr(text, HostBits::kRefuse); }

// The IPv4 block inside `prefix`.
Cidr Embedded(const Cidr& block, std::string_view prefix) {
  Cidr whole = BlockOf(prefix);
  std::copy_n(block.address.begin(), 4, whole.address.begin() + 12);
  whole.prefix = static_cast<std::uint8_t>(kEmbeddingBits + block.prefix);
  return whole;
}

Cidr WithoutEmbedding(const Cidr& block) {
  for (const std::string_view prefix : kEmbedding) {
    if (!Contains(BlockOf(prefix), block)) continue;
    Cidr inner{.width = 32, .prefix = static_cast<std::uint8_t>(block.prefix - kEmbeddingBits)};
    std::copy_n(block.address.begin() + 12, 4, inner.address.begin());
    return inner;
  }
  return block;
}

// The ranges of `range` that may stand in a block of that width.
std::vector<Cidr> FormsOf(const Range& range, std::uint8_t width) {
  const Cidr block = BlockOf(range.name);
  if (block.width == width) return {block};
  std::vector<Cidr> forms;
  for (const std::string_view prefix : kEmbedding)
    if (range.embedded) forms.push_back(Embedded(block, prefix));
  return forms;
}

std::pair<Cidr, Cidr> HalvesOf(const Cidr& block) {
  Cidr low = block;
  Cidr high = block;
  high.address.at(block.prefix / 8) |= static_cast<std::uint8_t>(0x80U >> (block.prefix % 8U));
  low.prefix = high.prefix = static_cast<std::uint8_t>(block.prefix + 1);
  return {low, high};
}

std::optional<Cidr> ReadBlock(const Json& value) {
  if (!IsText(value)) return std::nullopt;
  const Result<Cidr> block = ParseCidr(value.text, HostBits::kMask);
  return block ? std::optional(*block) : std::nullopt;
}

}  // namespace

std::optional<IpBlock> ReadIpBlock(const Json& value) {
  for (const JsonMember& member : value.members)
    if (member.key != "cidr" && member.key != "except") return std::nullopt;
  const std::optional<Cidr> block = ReadBlock(At(value, "cidr"));
  const Json& except = At(value, "except");
  if (!block || (!IsNull(except) && !IsList(except))) return std::nullopt;
  IpBlock read{.block = WithoutEmbedding(*block)};
  for (const Json& item : except.items) {
    const std::optional<Cidr> hole = ReadBlock(item);
    if (!hole) return std::nullopt;
    // Of a block that is more than what it embeds, holes are compared as they are written.
    read.except.push_back(read.block.width == hole->width ? *hole : WithoutEmbedding(*hole));
  }
  return read;
}

// NOLINTNEXTLINE(misc-no-recursion): at most one level for each bit of an address.
bool Cover(const std::vector<Cidr>& blocks, const Cidr& whole) {
  if (std::any_of(blocks.begin(), blocks.end(), [&](const Cidr& it) { return Contains(it, whole); }))
    return true;
  std::vector<Cidr> inside;
  std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(inside),
               [&](const Cidr& it) { return Contains(whole, it); });
  if (inside.size() < 2) return false;
  const auto [low, high] = HalvesOf(whole);
  return Cover(inside, low) && Cover(inside, high);
}

std::string_view PrivatePartOf(const IpBlock& block) {
  for (const Range& range : kPrivate) {
    for (const Cidr& part : FormsOf(range, block.block.width)) {
      if (!Contains(part, block.block) && !Contains(block.block, part)) continue;
      const Cidr& reached = Contains(part, block.block) ? block.block : part;
      if (!Cover(block.except, reached)) return range.name;
    }
  }
  return {};
}

bool AreEverybody(const std::vector<Cidr>& blocks) {
  const bool wide =
      std::any_of(blocks.begin(), blocks.end(), [](const Cidr& it) { return it.prefix < kEverybodyBits; });
  return wide || std::any_of(std::begin(kPrivate), std::end(kPrivate),
                             [&](const Range& range) { return Cover(blocks, BlockOf(range.name)); });
}

}  // namespace mxc::kubernetes
