#include "hash/sha256.h"

#include <algorithm>

namespace mxc {
namespace {

// The fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRounds = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t BigEndian(const std::uint8_t* bytes) {
  return std::uint32_t{bytes[0]} << 24U | std::uint32_t{bytes[1]} << 16U | std::uint32_t{bytes[2]} << 8U |
         bytes[3];
}

// std::rotr takes an int in one standard library and an unsigned int in another.
constexpr std::uint32_t Rotated(std::uint32_t word, unsigned count) {
  return word >> count | word << (32U - count);
}

std::uint32_t Mix(std::uint32_t word, unsigned first, unsigned second, unsigned third) {
  return Rotated(word, first) ^ Rotated(word, second) ^ Rotated(word, third);
}

std::uint32_t Spread(std::uint32_t word, unsigned first, unsigned second, unsigned shift) {
  return Rotated(word, first) ^ Rotated(word, second) ^ (word >> shift);
}

}  // namespace

void Sha256::Compress() {
  std::array<std::uint32_t, 64> schedule{};
  for (std::size_t i = 0; i < 16; ++i) schedule[i] = BigEndian(&block_[i * 4]);
  for (std::size_t i = 16; i < schedule.size(); ++i) {
    schedule[i] = schedule[i - 16] + Spread(schedule[i - 15], 7, 18, 3) + schedule[i - 7] +
                  Spread(schedule[i - 2], 17, 19, 10);
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const std::uint32_t first = h + Mix(e, 6, 11, 25) + ((e & f) ^ (~e & g)) + kRounds[i] + schedule[i];
    const std::uint32_t second = Mix(a, 2, 13, 22) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> result = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < result.size(); ++i) state_[i] += result[i];
}

void Sha256::Feed(std::string_view bytes) {
  length_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t taken = std::min(bytes.size(), kBlockBytes - held_);
    std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(held_));
    bytes.remove_prefix(taken);
    held_ += taken;
    if (held_ < kBlockBytes) return;
    Compress();
    held_ = 0;
  }
}

std::array<std::uint8_t, Sha256::kBytes> Sha256::Finish() {
  constexpr std::size_t kLengthBytes = 8;
  const std::uint64_t bits = length_ * 8;
  block_[held_++] = 0x80;
  if (held_ > kBlockBytes - kLengthBytes) {
    std::fill(block_.begin() + static_cast<std::ptrdiff_t>(held_), block_.end(), std::uint8_t{0});
    Compress();
    held_ = 0;
  }
  std::fill(block_.begin() + static_cast<std::ptrdiff_t>(held_), block_.end(), std::uint8_t{0});
  for (std::size_t i = 0; i < kLengthBytes; ++i)
    block_[kBlockBytes - 1 - i] = static_cast<std::uint8_t>(bits >> (8 * i));
  Compress();
  std::array<std::uint8_t, kBytes> digest{};
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string Sha256Text(std::string_view bytes) {
  Sha256 hash;
  hash.Feed(bytes);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::uint8_t byte : hash.Finish()) text += {kDigits[byte >> 4U], kDigits[byte & 0xfU]};
  return text;
}

}  // namespace mxc
