// Part of generate_seccomp: lays out a seccomp program. libseccomp writes every rule as a path of its own.
// Ours has a third as many instructions: the kernel checks, translates and simulates each one at every
// launch.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <map>
#include <vector>

namespace mxc::seccomp_code {

// A test of the low 32 bits of one argument; kNotNull tests all 64.
struct Test {
  enum class Kind {
    kAnyBit,    // argument & mask is not 0
    kEquals,    // argument & mask is values[0]
    kNotAmong,  // argument is none of `values`
    kNotNull,   // argument is not 0
  };
  Kind kind = Kind::kAnyBit;
  unsigned argument = 0;
  std::uint32_t mask = 0;
  std::vector<std::uint32_t> values = {};

  bool operator==(const Test&) const = default;
};

// The call fails with `error` when all tests hold; without tests, always.
struct Rule {
  int error = 0;
  std::vector<Test> tests = {};

  bool operator==(const Rule&) const = default;
};

// By system call number. Never an empty list; of several rules the first that holds decides.
using Rules = std::map<std::uint32_t, std::vector<Rule>>;

// Finds the system call number by binary search, and loads arguments only for calls whose rules test them.
// Expects the number in the accumulator; every path returns.
[[nodiscard]] std::vector<sock_filter> Compile(const Rules& rules);

}  // namespace mxc::seccomp_code
