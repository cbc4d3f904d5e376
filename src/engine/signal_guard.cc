#include "engine/signal_guard.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace mxc::engine {
namespace {

// Where the low half of an argument stands in seccomp_data: the kernel takes no more of an int.
constexpr std::uint32_t Argument(unsigned number) {
  const std::uint32_t low = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0;
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args)) + 8 * number + low;
}

// A filter in the making; each rule begins and ends with the number of the call in the accumulator.
class Filter {
 public:
  Filter() { Load(static_cast<std::uint32_t>(offsetof(seccomp_data, nr))); }

  // Refuses `call` when this argument is one of `values`.
  void Refuse(long call, unsigned argument, std::initializer_list<std::uint32_t> values) {
    const auto count = static_cast<std::uint8_t>(values.size());
    // Past the load, one comparison for each value, a jump, the refusal, and the load back.
    Put(BPF_JMP | BPF_JEQ | BPF_K, 0, static_cast<std::uint8_t>(count + 4), static_cast<std::uint32_t>(call));
    Load(Argument(argument));
    std::uint8_t left = count;
    for (const std::uint32_t value : values) Put(BPF_JMP | BPF_JEQ | BPF_K, left--, 0, value);
    Put(BPF_JMP | BPF_JA, 0, 0, 1);
    Put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM);
    Load(static_cast<std::uint32_t>(offsetof(seccomp_data, nr)));
  }
  void RefuseAll(long call) {
    Put(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<std::uint32_t>(call));
    Put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS);
  }
  long Install() {
    Put(BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW);
    const sock_fprog program{static_cast<unsigned short>(size_), steps_.data()};
    return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program);
  }

 private:
  void Put(unsigned code, std::uint8_t yes, std::uint8_t no, std::uint32_t value) {
    steps_.at(size_++) = {static_cast<std::uint16_t>(code), yes, no, value};
  }
  void Load(std::uint32_t offset) { Put(BPF_LD | BPF_W | BPF_ABS, 0, 0, offset); }

  std::array<sock_filter, 96> steps_ = {};
  std::size_t size_ = 0;
};

}  // namespace

// Other architectures' numbers never come this far: the program before this one kills for them.
void GuardSignals(const Child& child, int init, int launcher, int launcher_group) {
  const auto number = [](int value) { return static_cast<std::uint32_t>(value); };
  Filter filter;
  for (const long call : {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    filter.Refuse(call, 0, {number(init), number(launcher), number(-launcher_group), number(-1)});
  }
  filter.RefuseAll(SYS_pidfd_send_signal);
  // Signals by way of a descriptor's owner.
  constexpr std::uint32_t kSetOwnerEx = 15;  // F_SETOWN_EX
  filter.Refuse(SYS_fcntl, 1, {F_SETOWN, kSetOwnerEx});
  filter.Refuse(SYS_ioctl, 1, {FIOSETOWN, SIOCSPGRP});
  child.Check(filter.Install(), Step::kSeccomp);
}

}  // namespace mxc::engine
