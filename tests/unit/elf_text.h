// ELF programs in as few bytes as the kernel looks at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mxc {

struct Elf {
  std::string loader = {};  // "": none
  std::uint64_t machine = 62;
  std::uint64_t type = 3;
  char bits = 2;
  char order = 1;
  std::uint64_t entry_bytes = 56;
  std::uint64_t loads = 1;  // segments to load
};

inline void SetNumber(std::string& bytes, std::size_t at, std::size_t size, std::uint64_t number) {
  for (; size-- > 0; number >>= 8U) bytes[at++] = static_cast<char>(number & 0xffU);
}

inline constexpr std::size_t kElfTable = 64;

inline std::string ElfText(const Elf& elf) {
  const std::uint64_t entries = elf.loads + (elf.loader.empty() ? 0 : 1);
  std::string bytes(kElfTable + entries * 56, '\0');
  bytes.replace(0, 4, "\177ELF");
  bytes[4] = elf.bits;
  bytes[5] = elf.order;
  bytes[6] = 1;
  SetNumber(bytes, 16, 2, elf.type);
  SetNumber(bytes, 18, 2, elf.machine);
  SetNumber(bytes, 32, 8, kElfTable);
  SetNumber(bytes, 54, 2, elf.entry_bytes);
  SetNumber(bytes, 56, 2, entries);
  for (std::uint64_t i = 0; i < elf.loads; ++i) SetNumber(bytes, kElfTable + i * 56, 4, 1);
  if (elf.loader.empty()) return bytes;
  const std::size_t at = kElfTable + elf.loads * 56;
  SetNumber(bytes, at, 4, 3);
  SetNumber(bytes, at + 8, 8, bytes.size());
  SetNumber(bytes, at + 32, 8, elf.loader.size() + 1);
  return bytes + elf.loader + '\0';
}

}  // namespace mxc
