// Part of generate_seccomp: lays out a seccomp program. libseccomp writes every rule as a path of its own; a
// third as many instructions say the same, and the kernel checks, translates and simulates each of them at
// every launch.
#pragma once

#include <linux/filter.h>

#include <cstdint>
#include <map>
#include <vector>

namespace mxc::seccomp_code {

// About the low 32 bits of one argument; kNotNull about all 64.
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

// By number of the call; of several rules the first that holds decides.
using Rules = std::map<std::uint32_t, std::vector<Rule>>;

// The number of the call decides first, found by halving, and arguments are looked at only where a rule does.
// Expects the number in the accumulator; every path returns.
[[nodiscard]] std::vector<sock_filter> Compile(const Rules& rules);

}  // namespace mxc::seccomp_code
