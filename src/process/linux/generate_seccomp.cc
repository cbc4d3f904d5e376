// Build-time program: compiles the table of seccomp_rules.h with libseccomp and writes it as C++ arrays.
//
//   generate_seccomp OUTPUT
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "process/linux/seccomp_rules.h"

namespace {

using namespace mxc::seccomp_rules;  // NOLINT(google-build-using-namespace): this program is about nothing
                                     // else

// A build step has nobody to return an error to: it says what failed and fails the build.
void Require(bool condition, std::string_view what) {
  if (condition) return;
  std::fprintf(stderr, "generate_seccomp: %.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

int NumberOf(std::string_view name, int number) {
  if (number >= 0) return number;
  const int known = seccomp_syscall_resolve_name(std::string(name).c_str());
  Require(known != __NR_SCMP_ERROR, "unknown system call " + std::string(name));
  return known;
}

scmp_arg_cmp Compare(const Bits& bits) {
  return {.arg = bits.argument, .op = SCMP_CMP_MASKED_EQ, .datum_a = bits.mask, .datum_b = bits.value};
}

void Deny(scmp_filter_ctx filter, int number, int error, const std::vector<Bits>& conditions) {
  std::vector<scmp_arg_cmp> compares;
  for (const Bits& bits : conditions) {
    if (bits.mask != 0) compares.push_back(Compare(bits));
  }
  const int result = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), number,
                                            static_cast<unsigned>(compares.size()), compares.data());
  Require(result == 0, "rule for call " + std::to_string(number) + " not accepted");
}

void DenyCalls(scmp_filter_ctx filter, std::span<const DeniedCall> calls) {
  for (const DeniedCall& call : calls) {
    Deny(filter, NumberOf(call.name, call.number), call.error, {call.first, call.second});
  }
}

// A filter can only name what it denies. The values that are not allowed are the subtrees of the binary tree
// of all 32-bit numbers that hold no allowed one: each is a mask of leading bits and their value.
void DenyOutside(scmp_filter_ctx filter, const AllowedValues& rule) {
  const int number = NumberOf(rule.name, -1);
  for (unsigned depth = 1; depth <= 32; ++depth) {
    const std::uint32_t mask = 0xffffffffU << (32 - depth);
    const std::uint32_t last_bit = 1U << (32 - depth);
    std::vector<std::uint32_t> done;
    for (const std::uint32_t value : rule.values) {
      const std::uint32_t sibling = (value & mask) ^ last_bit;
      bool holds_allowed = false;
      for (const std::uint32_t other : rule.values) holds_allowed |= (other & mask) == sibling;
      for (const std::uint32_t other : done) holds_allowed |= other == sibling;
      if (holds_allowed) continue;
      done.push_back(sibling);
      Deny(filter, number, rule.error, {{rule.argument, mask, sibling}, rule.only_when});
    }
  }
}

std::vector<sock_filter> Export(scmp_filter_ctx filter) {
  const int fd = memfd_create("seccomp", MFD_CLOEXEC);
  Require(fd >= 0, "memfd_create failed");
  Require(seccomp_export_bpf(filter, fd) == 0, "export failed");
  const off_t size = lseek(fd, 0, SEEK_END);
  Require(size > 0 && static_cast<std::size_t>(size) % sizeof(sock_filter) == 0, "odd program size");
  std::vector<sock_filter> program(static_cast<std::size_t>(size) / sizeof(sock_filter));
  Require(pread(fd, program.data(), static_cast<std::size_t>(size), 0) == size, "short read");
  close(fd);
  return program;
}

// x32 calls carry bit 30 in their number. libseccomp would kill; ENOSYS is what a kernel without x32 answers.
// Jumps are relative, so instructions can be put in front.
std::vector<sock_filter> WithX32Gate(const std::vector<sock_filter>& program) {
#if defined(__x86_64__)
  std::vector<sock_filter> gated{
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, 4},  // seccomp_data.arch
      {BPF_JMP | BPF_JEQ | BPF_K, 0, 3, AUDIT_ARCH_X86_64},
      {BPF_LD | BPF_W | BPF_ABS, 0, 0, 0},  // seccomp_data.nr
      {BPF_JMP | BPF_JGE | BPF_K, 0, 1, 0x40000000U},
      {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS},
  };
  gated.insert(gated.end(), program.begin(), program.end());
  return gated;
#else
  return program;
#endif
}

std::vector<sock_filter> Compile(bool root_caller) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  Require(filter != nullptr, "seccomp_init failed");
  Require(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0, "bad-arch action");
  // A binary tree over the call numbers: loading the filter makes the kernel walk it once per number.
  Require(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0, "optimisation");
  DenyCalls(filter, kDeniedCalls);
  for (const AllowedValues& rule : kAllowedValues) DenyOutside(filter, rule);
  if (root_caller) DenyCalls(filter, kRootCallerCalls);
  std::vector<sock_filter> program = WithX32Gate(Export(filter));
  seccomp_release(filter);
  Require(program.size() < BPF_MAXINSNS, "program too long");
  return program;
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
  Require(argc == 2, "usage: generate_seccomp OUTPUT");
  std::FILE* out = std::fopen(argv[1], "we");
  Require(out != nullptr, "cannot write the output file");
  Write(out, "kDefaultProgram", Compile(false));
  Write(out, "kRootCallerProgram", Compile(true));
  Require(std::fclose(out) == 0, "cannot write the output file");
  return 0;
}
