// The kernel's surface: system calls, capabilities, identity.
#include <sys/syscall.h>

#include "tests/containment/containment.h"

namespace mxc::test::kernel_test {
namespace {

using testing::AnyOf;
using testing::Each;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Kernel : public ContainmentTest {};
MXC_FOR_EACH_CALLER_AND_ENGINE(Kernel);

// A system call that the default filter refuses: its number, arguments that do no harm, and the answer.
struct Refused {
  const char* what;
  long number;
  Words arguments;
  const char* answer = "EPERM";
};

const std::vector<Refused> refused_calls = {
    {"mount", SYS_mount, {"s:none", "s:/tmp", "s:no-such-fs", "0", "0"}},
    {"umount2", SYS_umount2, {"s:/tmp", "8"}},
    {"pivot_root", SYS_pivot_root, {"s:/nonexistent", "s:/nonexistent"}},
    {"chroot", SYS_chroot, {"s:/tmp"}},
    {"open_tree", SYS_open_tree, {"-100", "s:/tmp", "1"}, "ENOSYS"},
    {"move_mount", SYS_move_mount, {"-1", "s:", "-1", "s:", "0"}, "ENOSYS"},
    {"fsopen", SYS_fsopen, {"s:tmpfs", "0"}, "ENOSYS"},
    {"fsmount", SYS_fsmount, {"-1", "0", "0"}, "ENOSYS"},
    {"mount_setattr", SYS_mount_setattr, {"-100", "s:/tmp", "0", "z:32", "32"}, "ENOSYS"},
    {"unshare user", SYS_unshare, {"0x10000000"}},
    {"unshare mount", SYS_unshare, {"0x20000"}},
    {"unshare net", SYS_unshare, {"0x40000000"}},
    {"unshare pid", SYS_unshare, {"0x20000000"}},
    {"setns", SYS_setns, {"-1", "0"}},
    {"clone user", SYS_clone, {"0x10000011", "0", "0", "0", "0"}},
    {"clone user, high bits set", SYS_clone, {"0xff00000010000011", "0", "0", "0", "0"}},
    {"clone mount", SYS_clone, {"0x20011", "0", "0", "0", "0"}},
    {"clone3", SYS_clone3, {"x:0000001000000000", "64"}, "ENOSYS"},
    {"bpf", SYS_bpf, {"0", "z:72", "72"}},
    {"perf_event_open", SYS_perf_event_open, {"z:112", "0", "-1", "-1", "0"}},
    {"add_key", SYS_add_key, {"s:user", "s:mxc", "s:x", "1", "-1"}},
    {"keyctl", SYS_keyctl, {"0", "-3", "0"}},
    {"request_key", SYS_request_key, {"s:user", "s:none", "0", "-1"}},
    {"io_uring_setup", SYS_io_uring_setup, {"1", "z:120"}, "ENOSYS"},
    {"userfaultfd", SYS_userfaultfd, {"0x80001"}},
    {"ptrace", SYS_ptrace, {"0", "0", "0", "0"}},
    {"process_vm_readv", SYS_process_vm_readv, {"1", "0", "0", "0", "0", "0"}},
    {"pidfd_getfd", SYS_pidfd_getfd, {"-1", "0", "0"}},
    {"kcmp", SYS_kcmp, {"1", "1", "0", "0", "0"}},
    {"kexec_load", SYS_kexec_load, {"0", "0", "0", "0xffff"}},
    {"kexec_file_load", SYS_kexec_file_load, {"-1", "-1", "0", "0", "0xffff"}},
    {"init_module", SYS_init_module, {"0", "0", "s:"}},
    {"finit_module", SYS_finit_module, {"-1", "s:", "0"}},
    {"delete_module", SYS_delete_module, {"s:no_such_module", "0x800"}},
    {"reboot, wrong magic", SYS_reboot, {"0", "0", "0", "0"}},
    {"swapon", SYS_swapon, {"s:/nonexistent", "0"}},
    {"swapoff", SYS_swapoff, {"s:/nonexistent"}},
    {"settimeofday", SYS_settimeofday, {"0", "0"}},
    {"clock_settime", SYS_clock_settime, {"0", "0"}},
    {"sethostname", SYS_sethostname, {"s:x", "-1"}},
    {"quotactl", SYS_quotactl, {"0x80000700", "s:/nonexistent", "0", "0"}},
    {"acct", SYS_acct, {"s:/nonexistent"}},
    {"syslog", SYS_syslog, {"10", "0", "0"}},
    {"open_by_handle_at", SYS_open_by_handle_at, {"-1", "z:16", "0"}},
    {"fanotify_init", SYS_fanotify_init, {"4", "0"}},
#ifdef __x86_64__
    {"iopl", SYS_iopl, {"3"}},
    {"ioperm", SYS_ioperm, {"0x80", "1", "1"}},
    {"modify_ldt", SYS_modify_ldt, {"0", "z:16", "16"}},
#endif
    {"personality without randomisation", SYS_personality, {"0x40000"}},
    {"terminal input, high bits set", SYS_ioctl, {"0", "0x100005412", "s:x"}},
    {"snapshot of btrfs", SYS_ioctl, {"0", "0x50009401", "0"}, "ENOTTY"},
    {"snapshot of btrfs, second version", SYS_ioctl, {"0", "0x50009417", "0"}, "ENOTTY"},
    {"console input", SYS_ioctl, {"0", "0x541c", "s:x"}},
    {"AF_PACKET", SYS_socket, {"17", "3", "768"}, "EAFNOSUPPORT"},
    {"AF_ALG", SYS_socket, {"38", "5", "0"}, "EAFNOSUPPORT"},
    {"AF_VSOCK", SYS_socket, {"40", "1", "0"}, "EAFNOSUPPORT"},
    {"AF_XDP", SYS_socket, {"44", "3", "0"}, "EAFNOSUPPORT"},
    {"AF_RDS", SYS_socket, {"21", "5", "0"}, "EAFNOSUPPORT"},
    {"AF_TIPC", SYS_socket, {"30", "2", "0"}, "EAFNOSUPPORT"},
    {"AF_BLUETOOTH", SYS_socket, {"31", "3", "0"}, "EAFNOSUPPORT"},
    {"AF_KEY", SYS_socket, {"15", "3", "2"}, "EAFNOSUPPORT"},
    {"AF_VSOCK, high bits set", SYS_socket, {"0x100000028", "1", "0"}, "EAFNOSUPPORT"},
    {"raw IPv4", SYS_socket, {"2", "3", "1"}},
    {"raw IPv6", SYS_socket, {"10", "3", "58"}},
    {"huge pages", SYS_mmap, {"0", "2097152", "3", "0x40022", "-1", "0"}, "ENOMEM"},
    {"huge pages, high bits set", SYS_mmap, {"0", "2097152", "3", "0x1000040022", "-1", "0"}, "ENOMEM"},
    {"huge pages of a memory file", SYS_memfd_create, {"s:x", "5"}, "ENOMEM"},
    {"contexts of asynchronous reads", SYS_io_setup, {"0", "0"}, "ENOSYS"},
    {"filter of a socket", SYS_setsockopt, {"-1", "1", "26", "z:16", "16"}, "ENOPROTOOPT"},
    {"obsolete options of IPv6", SYS_setsockopt, {"-1", "41", "6", "z:16", "16"}, "ENOPROTOOPT"},
    {"flow labels", SYS_setsockopt, {"-1", "41", "32", "z:32", "32"}, "ENOPROTOOPT"},
    {"routing header", SYS_setsockopt, {"-1", "41", "57", "z:40", "40"}, "EINVAL"},
    {"hop-by-hop options", SYS_setsockopt, {"-1", "41", "54", "z:8", "8"}, "EPERM"},
    {"destination options", SYS_setsockopt, {"-1", "41", "59", "z:8", "8"}, "EPERM"},
    {"filter of a port's sockets", SYS_setsockopt, {"-1", "1", "51", "z:16", "16"}, "ENOPROTOOPT"},
};

TEST_P(Kernel, RefusesWhatACommandDoesNotNeed) {
  std::vector<Words> operations;
  for (const Refused& call : refused_calls) {
    operations.push_back({"syscall", std::to_string(call.number)});
    operations.back().insert(operations.back().end(), call.arguments.begin(), call.arguments.end());
  }
  const auto answers = Try({}, operations);
  ASSERT_EQ(answers.size(), refused_calls.size());
  for (std::size_t i = 0; i < refused_calls.size(); ++i)
    EXPECT_EQ(answers[i], refused_calls[i].answer) << refused_calls[i].what;
}

TEST_P(Kernel, NetlinkIsForRoutesOnly) {
  EXPECT_THAT(Try({}, {{"syscall", std::to_string(SYS_socket), "16", "3", "9"},    // audit
                       {"syscall", std::to_string(SYS_socket), "16", "3", "12"},   // netfilter
                       {"syscall", std::to_string(SYS_socket), "16", "3", "16"},   // generic
                       {"syscall", std::to_string(SYS_socket), "16", "3", "0"}}),  // routes
              ElementsAre("EAFNOSUPPORT", "EAFNOSUPPORT", "EAFNOSUPPORT", "ok"));
}

TEST_P(Kernel, OtherEntriesToTheKernelAreShut) {
#ifndef __x86_64__
  GTEST_SKIP() << "x86-64 has them, this machine does not";
#endif
  // A kernel without the 32-bit entry answers with SIGSEGV; one that has it and is not kept from it, with
  // "ok".
  EXPECT_THAT(Try({}, {{"int80"}, {"x32"}}), ElementsAre(AnyOf("SIGSYS", "SIGSEGV"), "ENOSYS"));
}

TEST_P(Kernel, OrdinaryProgramsWork) {
  EXPECT_THAT(Try({}, {{"syscall", std::to_string(SYS_getpid)},
                       {"syscall", std::to_string(SYS_clone), "17", "0", "0", "0", "0"},
                       {"syscall", std::to_string(SYS_personality), "0xffffffff"},
                       {"syscall", std::to_string(SYS_socketpair), "1", "1", "0", "z:8"},
                       {"syscall", std::to_string(SYS_memfd_create), "s:x", "0"}}),
              Each("ok"));
}

TEST_P(Kernel, NoCapabilitiesAndNoNewPrivileges) {
  const std::string none = "0000000000000000";
  EXPECT_THAT(Try({}, {{"status", "CapEff"},
                       {"status", "CapPrm"},
                       {"status", "CapBnd"},
                       {"status", "CapInh"},
                       {"status", "CapAmb"},
                       {"status", "NoNewPrivs"},
                       {"status", "Seccomp"}}),
              ElementsAre(none, none, none, none, none, "1", "2"));
}

TEST_P(Kernel, TheCallerKeepsHisIdentityAndNobodyElses) {
  const std::string id = std::to_string(uid);
  const auto answers = Try({}, {{"ids"}, {"read", "/proc/self/uid_map"}});
  EXPECT_EQ(answers[0], id + " " + id);
  std::istringstream map(answers[1]);
  std::string inside, outside, count;
  map >> inside >> outside >> count;
  EXPECT_EQ(inside, id);
  EXPECT_EQ(count, "1\\n");
}

TEST_P(Kernel, NamespacesAreItsOwn) {
  std::vector<Words> operations;
  const std::vector<std::string> kinds = {"user", "mnt", "pid", "ipc", "uts", "cgroup", "net"};
  for (const std::string& kind : kinds)
    operations.push_back({"start", "/usr/bin/readlink", "/proc/self/ns/" + kind});
  const std::vector<std::string> answers = Try({}, operations);
  for (const std::string& kind : kinds) {
    std::array<char, 100> ours{};
    ASSERT_GT(::readlink(("/proc/self/ns/" + kind).c_str(), ours.data(), ours.size() - 1), 0);
    EXPECT_THAT(answers, Not(testing::Contains(Eq(ours.data())))) << kind << " ";
    EXPECT_THAT(answers, testing::Contains(StartsWith(kind + ":"))) << kind << " ";
  }
}

TEST_P(Kernel, TheHostNameIsOurs) {
  EXPECT_EQ(RunConfig({.command = "cat /proc/sys/kernel/hostname"}).out, "localhost\n");
  EXPECT_EQ(RunConfig({.command = "getent hosts $(hostname) >/dev/null && echo found"}).out, "found\n");
}

TEST_P(Kernel, SettingsOfTheKernelAreNotWritable) {
  std::vector<Words> operations;
  for (const char* file :
       {"/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/sysrq",
        "/proc/sys/vm/drop_caches", "/proc/sys/vm/overcommit_memory", "/proc/sys/user/max_user_namespaces",
        "/proc/sys/kernel/randomize_va_space", "/proc/sysrq-trigger", "/proc/mtrr",
        "/proc/irq/default_smp_affinity", "/sys/kernel/uevent_helper", "/sys/power/state",
        "/sys/kernel/mm/ksm/run", "/sys/fs/cgroup/cgroup.procs"}) {
    operations.push_back({"open", file, "w"});
  }
  EXPECT_THAT(Try({}, operations), Each(AnyOf("EROFS", "EACCES", "EPERM", "ENOENT")));
}

TEST_P(Kernel, AGrantOfTheRootDoesNotExposeProcDevAndSys) {
  const auto answers = Try(
      {.read_only = {"/"}},
      {{"list", "/proc"}, {"open", "/dev/kmsg", "r"}, {"open", "/dev/mem", "r"}, {"list", "/sys/kernel"}});
  EXPECT_THAT(answers[0], Not(HasSubstr("," + std::to_string(::getpid()) + ",")));
  EXPECT_EQ(answers[1], "ENOENT");
  EXPECT_EQ(answers[2], "ENOENT");
  EXPECT_EQ(answers[3], "ENOENT");
}

}  // namespace
}  // namespace mxc::test::kernel_test
