#include "policy/program_file.h"

#include <algorithm>

namespace mxc {
namespace {

constexpr std::size_t kLineBytes = 256;  // of a script's first line; BINPRM_BUF_SIZE

// elf(5)
constexpr std::string_view kIdentity{"\177ELF\2\1\1", 7};  // 64 bits, little-endian, version 1
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kEntryBytes = 56;  // of a program header
constexpr std::uint64_t kExecutable = 2;
constexpr std::uint64_t kShared = 3;
constexpr std::uint64_t kLoad = 1;
constexpr std::uint64_t kInterpreter = 3;

// The caller has checked the bounds.
std::uint64_t NumberAt(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  while (size-- > 0) number = number << 8U | static_cast<unsigned char>(bytes[at + size]);
  return number;
}

// The text of a segment: absolute, with one NUL, at its end. "" for anything else.
std::string PathAt(std::string_view head, std::uint64_t offset, std::uint64_t size) {
  if (size < 2 || size > head.size() || offset > head.size() - size) return {};
  const std::string_view text = head.substr(offset, size);
  return text.front() == '/' && text.find('\0') == size - 1 ? std::string(text.substr(0, size - 1)) : "";
}

}  // namespace

std::optional<ElfHead> ReadElfHead(std::string_view head) {
  if (head.size() < kHeaderBytes || !head.starts_with(kIdentity)) return std::nullopt;
  const std::uint64_t type = NumberAt(head, 16, 2);
  const std::uint64_t table = NumberAt(head, 32, 8);
  const std::uint64_t entry_bytes = NumberAt(head, 54, 2);
  const std::uint64_t entries = NumberAt(head, 56, 2);
  if ((type != kExecutable && type != kShared) || entry_bytes != kEntryBytes || table > head.size() ||
      entries > (head.size() - table) / kEntryBytes) {
    return std::nullopt;
  }
  ElfHead elf{.machine = static_cast<std::uint16_t>(NumberAt(head, 18, 2))};
  bool loads = false;
  for (std::size_t at = table; at < table + entries * kEntryBytes; at += kEntryBytes) {
    const std::uint64_t kind = NumberAt(head, at, 4);
    loads = loads || kind == kLoad;
    if (kind != kInterpreter) continue;
    if (!elf.loader.empty()) return std::nullopt;  // two of them
    elf.loader = PathAt(head, NumberAt(head, at + 8, 8), NumberAt(head, at + 32, 8));
    if (elf.loader.empty()) return std::nullopt;
  }
  return loads ? std::optional(std::move(elf)) : std::nullopt;
}

std::string InterpreterOf(std::string_view head) {
  const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size()));
  if (line.size() == head.size() || line.size() >= kLineBytes || !line.starts_with("#!")) return {};
  const std::size_t begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string_view::npos || line[begin] != '/' || line.find('\0') != std::string_view::npos)
    return {};
  const std::string_view rest = line.substr(begin);
  return std::string(rest.substr(0, rest.find_first_of(" \t")));
}

}  // namespace mxc
