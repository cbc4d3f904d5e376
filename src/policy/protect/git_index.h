// What an index lists for `git checkout`, which writes it without a further look: git checks a path when it
// adds it, not when it reads the index.
//
//   if (!IsTrustworthyIndex(bytes, {.hash_bytes = 20})) ...
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mxc {

// The number in `size` bytes, the highest first.
[[nodiscard]] inline std::uint64_t BigEndianAt(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

struct GitIndexKind {
  std::size_t hash_bytes = 20;  // 32 in a repository of SHA-256
  bool shared = false;          // sharedindex.*: the base of a split index
};

// It is whole, every reader finds the same entries in it, and each is for a file in the work tree. Versions 2
// to 4. What lacks the signature of an index is trusted: git reads nothing of it, and takes an empty file for
// no index.
[[nodiscard]] bool IsTrustworthyIndex(std::string_view bytes, GitIndexKind kind);

// No component is empty, `.`, `..`, or `.git`, also as NTFS and HFS+ would find that; the same of
// `.gitmodules` that is a link. `mode`: of the entry, type included.
[[nodiscard]] bool StaysInWorkTree(std::string_view path, std::uint32_t mode);

}  // namespace mxc
