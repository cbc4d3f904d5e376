// Build-time program: compiles the table of seccomp_rules.h, whose names libseccomp knows the numbers of, and
// writes it as C++ arrays.
//
//   generate_seccomp OUTPUT ARCHITECTURE
//
// ARCHITECTURE is the one the programs are for, "x86_64" or "aarch64"; not that of the machine that builds.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>

#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "seccomp/generate_seccomp_code.h"
#include "seccomp/seccomp_rules.h"

namespace {

using namespace mxc::seccomp_rules;  // NOLINT(google-build-using-namespace): this program is about nothing
                                     // else
using mxc::seccomp_code::Rule;
using mxc::seccomp_code::Rules;
using mxc::seccomp_code::Test;

// A build step has nobody to return an error to: it says what failed and fails the build.
void Require(bool condition, std::string_view what) {
  if (condition) return;
  std::fprintf(stderr, "generate_seccomp: %.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

struct Architecture {
  std::string_view name = {};
  std::uint32_t token = 0;    // libseccomp's
  std::uint32_t audited = 0;  // the kernel's
};

constexpr Architecture kArchitectures[] = {{"x86_64", SCMP_ARCH_X86_64, AUDIT_ARCH_X86_64},
                                           {"aarch64", SCMP_ARCH_AARCH64, AUDIT_ARCH_AARCH64}};

Architecture target;

void ChooseTarget(std::string_view name) {
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.name == name) target = architecture;
  }
  Require(target.token != 0, "nothing is known of the architecture " + std::string(name));
}

int NumberOf(std::string_view name, int number) {
  if (number >= 0) return number;
  const int known = seccomp_syscall_resolve_name_arch(target.token, std::string(name).c_str());
  Require(known != __NR_SCMP_ERROR, "unknown system call " + std::string(name));
  return known;
}

Test TestOf(const Bits& bits) {
  if (bits.any_but_null) return {.kind = Test::Kind::kNotNull, .argument = bits.argument};
  const bool one_bit = bits.mask == bits.value && std::has_single_bit(bits.mask);
  if (one_bit) return {.kind = Test::Kind::kAnyBit, .argument = bits.argument, .mask = bits.mask};
  return {.kind = Test::Kind::kEquals, .argument = bits.argument, .mask = bits.mask, .values = {bits.value}};
}

// A negative number is a call this architecture does not have.
void Add(Rules& rules, int number, Rule rule) {
  if (number >= 0) rules[static_cast<std::uint32_t>(number)].push_back(std::move(rule));
}

void Deny(Rules& rules, int number, int error, std::initializer_list<Bits> conditions) {
  Require(number < 0 || static_cast<std::uint32_t>(number) <= kNewestKnownCall,
          "kNewestKnownCall is too low");
  Rule rule{.error = error};
  for (const Bits& bits : conditions) {
    if (bits.mask != 0) rule.tests.push_back(TestOf(bits));
  }
  Add(rules, number, std::move(rule));
}

void DenyCalls(Rules& rules, std::span<const DeniedCall> calls) {
  for (const DeniedCall& call : calls) {
    Deny(rules, NumberOf(call.name, call.number), call.error, {call.first, call.second});
  }
}

void DenyOutside(Rules& rules, const AllowedValues& row) {
  Rule rule{.error = row.error};
  if (row.only_when.mask != 0) rule.tests.push_back(TestOf(row.only_when));
  rule.tests.push_back({.kind = Test::Kind::kNotAmong,
                        .argument = row.argument,
                        .values = {row.values.begin(), row.values.end()}});
  Add(rules, NumberOf(row.name, -1), std::move(rule));
}

// Of another architecture nothing is known, so nothing is answered. x32 calls carry bit 30 in their number,
// and so are beyond what is known.
std::vector<sock_filter> Gate() {
  return {
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, arch)},
      {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, target.audited},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_KILL_PROCESS},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
      {BPF_JMP | BPF_JGT | BPF_K, 0, 1, kNewestKnownCall},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
  };
}

std::vector<sock_filter> ProgramOf(const Rules& rules) {
  std::vector<sock_filter> program = Gate();
  const std::vector<sock_filter> body = mxc::seccomp_code::Compile(rules);
  program.insert(program.end(), body.begin(), body.end());
  Require(program.size() < BPF_MAXINSNS, "program too long");
  return program;
}

std::vector<sock_filter> ProgramOf(bool root_caller) {
  Rules rules;
  DenyCalls(rules, kDeniedCalls);
  for (const AllowedValues& row : kAllowedValues) DenyOutside(rules, row);
  if (root_caller) DenyCalls(rules, kRootCallerCalls);
  return ProgramOf(rules);
}

// Loaded behind one of the others: it refuses a few calls more.
std::vector<sock_filter> FurtherProgram(std::span<const DeniedCall> calls,
                                        std::span<const AllowedValues> values) {
  Rules rules;
  DenyCalls(rules, calls);
  for (const AllowedValues& row : values) DenyOutside(rules, row);
  return ProgramOf(rules);
}

void Write(std::FILE* out, const char* name, const std::vector<sock_filter>& program) {
  std::fprintf(out, "constexpr sock_filter %s[] = {\n", name);
  for (const sock_filter& step : program) {
    std::fprintf(out, "    {0x%x, %u, %u, 0x%x},\n", step.code, step.jt, step.jf, step.k);
  }
  std::fprintf(out, "};\n");
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 3, "usage: generate_seccomp OUTPUT ARCHITECTURE");
  ChooseTarget(argv[2]);
  std::FILE* out = std::fopen(argv[1], "we");
  Require(out != nullptr, "cannot write the output file");
  Write(out, "kDefaultProgram", ProgramOf(false));
  Write(out, "kRootCallerProgram", ProgramOf(true));
  Write(out, "kSharedSystemProgram", FurtherProgram(kSharedSystemCalls, kSharedSystemValues));
  Write(out, "kNoSocketsProgram", FurtherProgram(kSocketCalls, {}));
  Require(std::fclose(out) == 0, "cannot write the output file");
  return 0;
}
