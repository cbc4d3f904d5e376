// SHA-256 (FIPS 180-4). None of the libraries that the project uses has it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mxc {

class Sha256 {
 public:
  static constexpr std::size_t kBytes = 32;

  void Feed(std::string_view bytes);
  // Once, at the end.
  [[nodiscard]] std::array<std::uint8_t, kBytes> Finish();

 private:
  static constexpr std::size_t kBlockBytes = 64;
  void Compress();

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, kBlockBytes> block_ = {};
  std::size_t held_ = 0;      // bytes of block_
  std::uint64_t length_ = 0;  // bytes fed
};

// 64 hexadecimal digits.
[[nodiscard]] std::string Sha256Text(std::string_view bytes);

}  // namespace mxc
