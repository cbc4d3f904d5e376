// The first bytes of a program, as the kernel reads them to start it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mxc {

// How much of a file the functions below need: linkers put the program headers and the interpreter's path
// there.
inline constexpr std::size_t kProgramHeadBytes = 4096;

struct ElfHead {
  std::uint16_t machine = 0;
  std::string loader = {};  // PT_INTERP, absolute; empty: it needs none
};

// A 64-bit little-endian ELF program that execve accepts. Absent: another format, or `head` is too short to
// decide.
[[nodiscard]] std::optional<ElfHead> ReadElfHead(std::string_view head);

// "/usr/bin/env" of "#! /usr/bin/env node\n"; "" when there is no such line, or its interpreter is not
// absolute.
[[nodiscard]] std::string InterpreterOf(std::string_view head);

}  // namespace mxc
