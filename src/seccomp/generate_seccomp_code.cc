#include "seccomp/generate_seccomp_code.h"

#include <linux/seccomp.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <utility>

namespace mxc::seccomp_code {
namespace {

using Code = std::vector<sock_filter>;

// Numbers from `first` to `last` that share their rules.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::vector<Rule> rules = {};
};

// At most this many ranges are compared one after the other: fewer instructions than another halving.
constexpr std::size_t kLinear = 4;
constexpr std::size_t kFarthest = 255;

sock_filter Instruction(unsigned code, std::uint32_t k, std::size_t jump_true = 0,
                        std::size_t jump_false = 0) {
  if (jump_true > kFarthest || jump_false > kFarthest) {
    std::fprintf(stderr, "generate_seccomp: a jump is too long\n");
    std::exit(1);
  }
  return {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(jump_true),
          static_cast<std::uint8_t>(jump_false), k};
}

sock_filter Return(std::uint32_t action) { return Instruction(BPF_RET | BPF_K, action); }
sock_filter Compare(unsigned how, std::uint32_t k, std::size_t jump_true, std::size_t jump_false) {
  return Instruction(BPF_JMP | how | BPF_K, k, jump_true, jump_false);
}
// Offset of an argument's low 32 bits, on a little-endian machine.
std::uint32_t LowHalfOf(unsigned argument) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + std::size_t{8} * argument);
}
sock_filter LoadArgument(unsigned argument) {
  return Instruction(BPF_LD | BPF_W | BPF_ABS, LowHalfOf(argument));
}
sock_filter Refuse(int error) { return Return(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }

void Append(Code& code, const Code& more) { code.insert(code.end(), more.begin(), more.end()); }

// Falls through if the test holds; otherwise jumps over `skip` instructions.
Code EmitTest(const Test& test, std::size_t skip) {
  Code code{LoadArgument(test.argument)};
  switch (test.kind) {
    case Test::Kind::kAnyBit:
      code.push_back(Compare(BPF_JSET, test.mask, 0, skip));
      break;
    case Test::Kind::kEquals:
      if (test.mask != ~0U) code.push_back(Instruction(BPF_ALU | BPF_AND | BPF_K, test.mask));
      code.push_back(Compare(BPF_JEQ, test.values[0], 0, skip));
      break;
    case Test::Kind::kNotAmong:
      for (std::size_t i = 0; i < test.values.size(); ++i) {
        code.push_back(Compare(BPF_JEQ, test.values[i], skip + test.values.size() - 1 - i, 0));
      }
      break;
    case Test::Kind::kNotNull:
      code.push_back(Compare(BPF_JEQ, 0, 0, 2));
      code.push_back(Instruction(BPF_LD | BPF_W | BPF_ABS, LowHalfOf(test.argument) + 4));
      code.push_back(Compare(BPF_JEQ, 0, skip, 0));
      break;
  }
  return code;
}

Code EmitRule(const Rule& rule) {
  Code code{Refuse(rule.error)};
  for (std::size_t i = rule.tests.size(); i > 0; --i) {
    Code test = EmitTest(rule.tests[i - 1], code.size());
    Append(test, code);
    code = std::move(test);
  }
  return code;
}

Code EmitRules(const std::vector<Rule>& rules) {
  assert(!rules.empty());
  Code code;
  for (const Rule& rule : rules) Append(code, EmitRule(rule));
  if (!rules.back().tests.empty()) code.push_back(Return(SECCOMP_RET_ALLOW));
  return code;
}

// Two rules that differ only in the bits of one kAnyBit test become one rule.
bool Merge(Rule& rule, const Rule& other) {
  if (rule.error != other.error || rule.tests.size() != other.tests.size()) return false;
  std::size_t differing = 0;
  Test* different = nullptr;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < rule.tests.size(); ++i) {
    if (rule.tests[i] == other.tests[i]) continue;
    ++differing;
    different = &rule.tests[i];
    bits = other.tests[i].mask;
    const bool both_bits =
        different->kind == Test::Kind::kAnyBit && other.tests[i].kind == Test::Kind::kAnyBit;
    if (!both_bits || different->argument != other.tests[i].argument) return false;
  }
  if (differing > 1) return false;
  if (different != nullptr) different->mask |= bits;
  return true;
}

std::vector<Rule> Merged(std::vector<Rule> rules) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i + 1 < rules.size() && !changed; ++i) {
      changed = Merge(rules[i], rules[i + 1]);
      if (changed) rules.erase(rules.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
  }
  return rules;
}

std::vector<Range> RangesOf(const Rules& rules) {
  std::vector<Range> ranges;
  for (const auto& [number, list] : rules) {
    std::vector<Rule> merged = Merged(list);
    const bool extends = !ranges.empty() && ranges.back().last + 1 == number && ranges.back().rules == merged;
    if (extends) {
      ranges.back().last = number;
    } else {
      ranges.push_back({number, number, std::move(merged)});
    }
  }
  return ranges;
}

// One range after the other, then "allow", then what the ranges lead to.
Code LinearSearch(std::span<const Range> ranges) {
  Code targets;
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto same = std::find_if(ranges.begin(), ranges.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Range& range) { return range.rules == ranges[i].rules; });
    const auto index = static_cast<std::size_t>(same - ranges.begin());
    starts.push_back(index < i ? starts[index] : targets.size());
    if (index == i) Append(targets, EmitRules(ranges[i].rules));
  }
  Code code{Return(SECCOMP_RET_ALLOW)};
  for (std::size_t i = ranges.size(); i > 0; --i) {
    const Range& range = ranges[i - 1];
    const std::size_t target = code.size() + starts[i - 1];
    if (range.first == range.last) {
      code.insert(code.begin(), Compare(BPF_JEQ, range.first, target, 0));
    } else {
      code.insert(code.begin(),
                  {Compare(BPF_JGE, range.first, 0, 1), Compare(BPF_JGT, range.last, 0, target)});
    }
  }
  Append(code, targets);
  return code;
}

// NOLINTNEXTLINE(misc-no-recursion): halves a table
Code Search(std::span<const Range> ranges) {
  if (ranges.size() <= kLinear) return LinearSearch(ranges);
  const std::size_t half = ranges.size() / 2;
  const Code lower = Search(ranges.first(half));
  const Code upper = Search(ranges.subspan(half));
  const std::uint32_t split = ranges[half].first;
  Code code;
  if (lower.size() <= kFarthest) {
    code = {Compare(BPF_JGE, split, lower.size(), 0)};
  } else {
    code = {Compare(BPF_JGE, split, 0, 1),
            Instruction(BPF_JMP | BPF_JA, static_cast<std::uint32_t>(lower.size()))};
  }
  Append(code, lower);
  Append(code, upper);
  return code;
}

}  // namespace

std::vector<sock_filter> Compile(const Rules& rules) { return Search(RangesOf(rules)); }

}  // namespace mxc::seccomp_code
