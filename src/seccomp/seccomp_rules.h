// The system calls a sandboxed command may not make, as one table. generate_seccomp compiles it with
// libseccomp when the program is built; seccomp_test tries every row against the running kernel.
//
// Up to kNewestKnownCall, everything not named here is allowed, without a look at its arguments: the kernel
// then answers from a bitmap and the filter costs the common calls nothing. What is newer does not exist.
// Comparisons see the low 32 bits of an argument, because that is what the kernel itself uses of an `int`,
// and the upper half of the register may hold anything.
#pragma once

#include <cerrno>
#include <cstdint>
#include <span>
#include <string_view>

namespace mxc::seccomp_rules {

// Of the calls up to this number somebody has judged whether they may pass: listns, Linux 6.19. The numbers
// are the same on every architecture. A newer one gets ENOSYS, the answer of a kernel that does not have it,
// on which programs do without.
inline constexpr std::uint32_t kNewestKnownCall = 470;

// Holds when (argument & mask) == value. A mask of 0 always holds.
struct Bits {
  unsigned argument = 0;
  std::uint32_t mask = 0;
  std::uint32_t value = 0;
  bool any_but_null = false;  // instead: holds when the argument, all 64 bits of it, is not 0
};

struct DeniedCall {  // NOLINT(clang-analyzer-optin.performance.Padding): a row reads in this order
  std::string_view name = {};
  int error = EPERM;
  std::string_view reason = {};
  Bits first = {};  // denied only when both hold
  Bits second = {};
  int number = -1;  // for calls libseccomp 2.5.4 has no name for; the same on every architecture
};

// An argument that may only be one of a few values.
struct AllowedValues {  // NOLINT(clang-analyzer-optin.performance.Padding): as above
  std::string_view name = {};
  unsigned argument = 0;
  std::span<const std::uint32_t> values = {};
  int error = EPERM;
  std::string_view reason = {};
  Bits only_when = {};
};

constexpr Bits HasBit(unsigned argument, std::uint32_t bit) { return {argument, bit, bit}; }
constexpr Bits Equals(unsigned argument, std::uint32_t value) { return {argument, 0xffffffffU, value}; }
// A request of one kind of file system or driver: bits 8 to 15 of its number.
constexpr Bits IoctlOf(std::uint32_t type) { return {1, 0xff00, type << 8U}; }
constexpr Bits IsPointer(unsigned argument) { return {argument, 0xffffffffU, 1, true}; }

inline constexpr std::uint32_t kUnix = 1, kInet = 2, kInet6 = 10, kNetlink = 16;
inline constexpr std::uint32_t kCoreLimit = 4;  // RLIMIT_CORE
inline constexpr std::uint32_t kSetUid = 04000, kSetGid = 02000;
inline constexpr std::uint32_t kCreate = 0100,
                               kTemporary = 020000000;  // O_CREAT, O_TMPFILE without O_DIRECTORY
inline constexpr std::uint32_t kSocketLevel = 1;        // SOL_SOCKET
inline constexpr std::uint32_t kIpv6Level = 41;         // IPPROTO_IPV6
inline constexpr std::uint32_t kSocketTypeMask = 0xf, kDatagram = 2, kRaw = 3, kPacket = 10;

// clang-format off
inline constexpr DeniedCall kDeniedCalls[] = {
    // Calls that do work outside the filter's sight. ENOSYS lets libuv and liburing fall back quietly.
    {"io_uring_setup", ENOSYS, "its operations bypass this filter"},
    {"io_uring_enter", ENOSYS, "its operations bypass this filter"},
    {"io_uring_register", ENOSYS, "its operations bypass this filter"},

    // New mounts and other roots.
    {"mount", EPERM, "changes the mount tree that holds the policy"},
    {"umount2", EPERM, "would uncover what a mask hides"},
    {"pivot_root", EPERM, "replaces the root"},
    {"chroot", EPERM, "replaces the root"},
    {"open_tree", ENOSYS, "new mount interface"},
    {"move_mount", ENOSYS, "new mount interface"},
    {"fsopen", ENOSYS, "new mount interface"},
    {"fsconfig", ENOSYS, "new mount interface"},
    {"fsmount", ENOSYS, "new mount interface"},
    {"fspick", ENOSYS, "new mount interface"},
    {"mount_setattr", ENOSYS, "new mount interface"},
    {.name = "statmount", .error = ENOSYS, .reason = "describes mounts of other namespaces", .number = 457},
    {.name = "listmount", .error = ENOSYS, .reason = "lists mounts of other namespaces", .number = 458},
    {.name = "open_tree_attr", .error = ENOSYS, .reason = "new mount interface", .number = 467},
    {.name = "listns", .error = ENOSYS, .reason = "lists namespaces of other processes", .number = 470},
    {.name = "lsm_set_self_attr", .error = ENOSYS, .reason = "labels of what comes, as /proc/self/attr has them", .number = 460},

    // New namespaces give back capabilities over what is in them. clone3 passes its flags in memory, where a
    // filter cannot look; with ENOSYS the C library falls back to clone.
    {"unshare", EPERM, "new namespaces"},
    {"setns", EPERM, "other namespaces"},
    {"clone3", ENOSYS, "flags out of the filter's sight"},
    {"clone", EPERM, "new mount namespace", HasBit(0, 0x00020000)},
    {"clone", EPERM, "new cgroup namespace", HasBit(0, 0x02000000)},
    {"clone", EPERM, "new uts namespace", HasBit(0, 0x04000000)},
    {"clone", EPERM, "new ipc namespace", HasBit(0, 0x08000000)},
    {"clone", EPERM, "new user namespace", HasBit(0, 0x10000000)},
    {"clone", EPERM, "new pid namespace", HasBit(0, 0x20000000)},
    {"clone", EPERM, "new network namespace", HasBit(0, 0x40000000)},

    // Files by handle ignore the mount tree.
    {"open_by_handle_at", EPERM, "opens files that no path leads to"},
    {"name_to_handle_at", EPERM, "makes handles for open_by_handle_at"},

    // Other processes' memory and descriptors; helpers of the sandbox run under the same user.
    {"ptrace", EPERM, "controls other processes"},
    {"process_vm_readv", EPERM, "reads other processes"},
    {"process_vm_writev", EPERM, "writes other processes"},
    {"process_madvise", EPERM, "acts on other processes' memory"},
    {"kcmp", EPERM, "compares kernel objects of processes"},
    {"pidfd_getfd", EPERM, "takes descriptors from other processes"},

    // The host's keyrings are not namespaced.
    {"add_key", EPERM, "keyrings of the host user"},
    {"request_key", EPERM, "keyrings of the host user"},
    {"keyctl", EPERM, "keyrings of the host user"},

    // Code and events in the kernel.
    {"bpf", EPERM, "loads programs into the kernel"},
    {"perf_event_open", EPERM, "large attack surface, side channels"},
    {"userfaultfd", EPERM, "makes kernel races easy to win"},
    {"init_module", EPERM, "loads kernel modules"},
    {"finit_module", EPERM, "loads kernel modules"},
    {"delete_module", EPERM, "unloads kernel modules"},
    {"kexec_load", EPERM, "replaces the kernel"},
    {"kexec_file_load", EPERM, "replaces the kernel"},
    {"lookup_dcookie", EPERM, "kernel paths by number"},
    {"modify_ldt", EPERM, "history of privilege bugs"},
    {"fanotify_init", EPERM, "watches the whole host file system"},

    // Memory placement: rarely needed, often exploited.
    {"move_pages", EPERM, "acts on other processes' memory"},
    {"migrate_pages", EPERM, "acts on other processes' memory"},
    {"mbind", EPERM, "history of kernel bugs"},
    {"set_mempolicy", EPERM, "history of kernel bugs"},
    {"get_mempolicy", EPERM, "reveals physical placement"},
    {"set_mempolicy_home_node", EPERM, "history of kernel bugs"},

    // The machine as a whole.
    {"syslog", EPERM, "the kernel's log"},
    {"acct", EPERM, "process accounting of the host"},
    {"swapon", EPERM, "the host's swap"},
    {"swapoff", EPERM, "the host's swap"},
    {"reboot", EPERM, "the host itself"},
    {"quotactl", EPERM, "the host's quotas"},
    {"quotactl_fd", EPERM, "the host's quotas"},
    {"settimeofday", EPERM, "the host's clock"},
    {"clock_settime", EPERM, "the host's clock"},
    {"clock_adjtime", EPERM, "the host's clock"},
    {"adjtimex", EPERM, "the host's clock"},
    {"sethostname", EPERM, "the sandbox's name is fixed"},
    {"setdomainname", EPERM, "the sandbox's name is fixed"},
    {"iopl", EPERM, "port access"},
    {"ioperm", EPERM, "port access"},
    {"vhangup", EPERM, "the caller's terminal"},
    {"nfsservctl", EPERM, "obsolete"},
    {"uselib", EPERM, "obsolete"},

    // What holds up other processes at files that can only be read.
    {"fcntl", EACCES, "F_SETLEASE: open() elsewhere waits for the holder", Equals(1, 1024)},
    {"fcntl", EACCES, "F_SETDELEG: the same of directories, since Linux 6.19", Equals(1, 1040)},

    // Terminals: input pushed into a shared terminal is run by the shell that owns it.
    {"ioctl", EPERM, "TIOCSTI types into the terminal", Equals(1, 0x5412)},
    {"ioctl", EPERM, "TIOCLINUX pastes into the console", Equals(1, 0x541c)},
    {"ioctl", EPERM, "TIOCSETD loads line disciplines", Equals(1, 0x5423)},

    // Second names of files, past the mounts that hold the policy. kAllowedValues has the rest.
    {"ioctl", ENOTTY, "bcachefs: snapshots, subvolumes", IoctlOf(0xbc)},
    {"ioctl", ENOTTY, "SMB: snapshots, messages of the caller's own to the server", IoctlOf(0xcf)},
    {"ioctl", ENOTTY, "OCFS2_IOC_REFLINK clones by path", Equals(1, 0x40186f04)},
    {"ioctl", ENOTTY, "F2FS_IOC_MOVE_RANGE exchanges the contents of files", Equals(1, 0xc020f509)},

    // Huge pages that the machine has reserved: the memory controller does not count them. The error is that of a machine
    // which has reserved none. Transparent ones (madvise) are memory like any other.
    {"mmap", ENOMEM, "MAP_HUGETLB: pages of the machine, past the limit of memory", HasBit(3, 0x40000)},
    {"memfd_create", ENOMEM, "MFD_HUGETLB: the same", HasBit(1, 4)},
    {"shmget", ENOMEM, "SHM_HUGETLB: the same", HasBit(2, 04000)},

    // ENOSYS is the answer of a kernel without it, on which MySQL and nginx go on by threads.
    {"io_setup", ENOSYS, "events of the machine's (fs.aio-max-nr), which one command could take all"},

    // Filters of packets, whose code no control group counts, as many as there are sockets.
    {"setsockopt", ENOPROTOOPT, "SO_ATTACH_FILTER: kernel memory past the limit", Equals(1, kSocketLevel), Equals(2, 26)},
    {"setsockopt", ENOPROTOOPT, "SO_ATTACH_REUSEPORT_CBPF: the same", Equals(1, kSocketLevel), Equals(2, 51)},
    {"setsockopt", ENOPROTOOPT, "IPV6_2292PKTOPTIONS, obsolete: keeps what it is given", Equals(1, kIpv6Level), Equals(2, 6)},
    {"setsockopt", ENOPROTOOPT, "IPV6_FLOWLABEL_MGR: all network namespaces share 4096 labels", Equals(1, kIpv6Level), Equals(2, 32)},

    // Headers that a packet filter has to read over; EINVAL is what a kernel without segment routing says.
    {"setsockopt", EINVAL, "IPV6_RTHDR: packets go another way than to their destination", Equals(1, kIpv6Level), Equals(2, 57)},
    {"setsockopt", EPERM, "IPV6_HOPOPTS: a header before that of the protocol", Equals(1, kIpv6Level), Equals(2, 54)},
    {"setsockopt", EPERM, "IPV6_RTHDRDSTOPTS: the same", Equals(1, kIpv6Level), Equals(2, 55)},
    {"setsockopt", EPERM, "IPV6_DSTOPTS: the same", Equals(1, kIpv6Level), Equals(2, 59)},

    // RLIMIT_FSIZE is asked of writes and of truncation, not of this.
    {"fallocate", EOPNOTSUPP, "FALLOC_FL_INSERT_RANGE lengthens files past their limit", HasBit(1, 0x20)},

    // Packets below the socket interface. SOCK_PACKET is the old spelling of AF_PACKET.
    {"socket", EPERM, "raw IPv4 packets", Equals(0, kInet), {1, kSocketTypeMask, kRaw}},
    {"socket", EPERM, "raw IPv6 packets", Equals(0, kInet6), {1, kSocketTypeMask, kRaw}},
    {"socket", EPERM, "raw link packets", Equals(0, kInet), {1, kSocketTypeMask, kPacket}},

    // A file with the bit lies on the host, where whoever runs it acts as the caller.
    {"chmod", EPERM, "set-uid file", HasBit(1, kSetUid)},
    {"fchmod", EPERM, "set-uid file", HasBit(1, kSetUid)},
    {"fchmodat", EPERM, "set-uid file", HasBit(2, kSetUid)},
    {"fchmodat2", EPERM, "set-uid file", HasBit(2, kSetUid), {}, 452},
    {"open", EPERM, "set-uid file", HasBit(1, kCreate), HasBit(2, kSetUid)},
    {"open", EPERM, "set-uid file", HasBit(1, kTemporary), HasBit(2, kSetUid)},
    {"openat", EPERM, "set-uid file", HasBit(2, kCreate), HasBit(3, kSetUid)},
    {"openat", EPERM, "set-uid file", HasBit(2, kTemporary), HasBit(3, kSetUid)},
    {"openat2", ENOSYS, "a mode out of the filter's sight"},
    {"creat", EPERM, "set-uid file", HasBit(1, kSetUid)},
    {"mknod", EPERM, "set-uid file", HasBit(1, kSetUid)},
    {"mknodat", EPERM, "set-uid file", HasBit(2, kSetUid)},

    // The limit that keeps cores from the handler the host pipes them to is 1; 0 does not. Pretended to have worked:
    // programs that hold secrets refuse to run when they cannot set it.
    {"setrlimit", 0, "hands cores to the host's handler", Equals(0, kCoreLimit)},
    {"prlimit64", 0, "hands cores to the host's handler", Equals(1, kCoreLimit), IsPointer(2)},
};

inline constexpr std::uint32_t kFamilies[] = {kUnix, kInet, kInet6, kNetlink};
inline constexpr std::uint32_t kPairFamilies[] = {kUnix};
inline constexpr std::uint32_t kRouteProtocol[] = {0};
inline constexpr std::uint32_t kOwnLimits[] = {0};  // of whoever calls
// Linux, 32-bit reporting, and both with UNAME26; 0xffffffff asks for the current one.
inline constexpr std::uint32_t kPersonalities[] = {0, 0x8, 0x20000, 0x20008, 0xffffffff};

// FICLONE, FICLONERANGE, FS_IOC_GETFSLABEL: clones of files that are open, as `cp` makes them. Not among them: snapshots, subvolumes,
// send, searches of a whole tree (BTRFS_IOC_*), FIDEDUPERANGE.
inline constexpr std::uint32_t kBtrfsRequests[] = {0x40049409, 0x4020940d, 0x81009431};
// FS_IOC_FSGETXATTR, FS_IOC_FSSETXATTR, XFS_IOC_DIOINFO, _RESVSP64, _UNRESVSP64, _ZERO_RANGE, _FSGEOMETRY (two sizes). Not among them:
// files by handle, exchanges of contents, inodes and parents of the whole file system.
inline constexpr std::uint32_t kXfsRequests[] = {0x801c581f, 0x401c5820, 0x800c581e, 0x4030582a,
                                                 0x4030582b, 0x40305839, 0x8070587c, 0x8100587e};

// FS_IOC_GETFLAGS, _SETFLAGS (both sizes), _FIEMAP, _GET_ENCRYPTION_POLICY, _GET_ENCRYPTION_POLICY_EX, _GET_ENCRYPTION_KEY_STATUS,
// _MEASURE_VERITY. Not among them: what exchanges the contents of files (EXT4_IOC_MOVE_EXT, _SWAP_BOOT), adds or removes keys of
// encrypted directories, which hides their names from everybody, and makes a file read-only for good (FS_IOC_ENABLE_VERITY).
inline constexpr std::uint32_t kFileRequests[] = {0x80086601, 0x40086602, 0x80046601, 0x40046602, 0xc020660b,
                                                  0x400c6615, 0xc0096616, 0xc080661a, 0xc0046686};

inline constexpr AllowedValues kAllowedValues[] = {
    {"ioctl", 1, kFileRequests, ENOTTY, "ext4, fscrypt, fsverity: exchanges of contents, keys", IoctlOf('f')},
    {"ioctl", 1, kBtrfsRequests, ENOTTY, "btrfs: snapshots and searches show files past the policy's mounts", IoctlOf(0x94)},
    {"ioctl", 1, kXfsRequests, ENOTTY, "XFS: files by handle, exchanges of contents", IoctlOf('X')},
    {"socket", 0, kFamilies, EAFNOSUPPORT, "vsock, packet, alg and rarer families leave the sandbox or are seldom reviewed"},
    {"socketpair", 0, kPairFamilies, EAFNOSUPPORT, "only AF_UNIX pairs are of use"},
    {"socket", 2, kRouteProtocol, EAFNOSUPPORT, "netlink beyond routing", Equals(0, kNetlink)},
    {"prlimit64", 0, kOwnLimits, EPERM, "limits of init and of what other commands started", IsPointer(2)},
    {"personality", 0, kPersonalities, EPERM, "no address randomisation, or bug compatibility"},
};

// Only when root calls: with its group, too, a program would be root's. Others set the bit on directories that a
// group shares, and a filter cannot see what it is set on.
inline constexpr DeniedCall kRootCallerCalls[] = {
    {"chmod", EPERM, "set-gid file", HasBit(1, kSetGid)},
    {"fchmod", EPERM, "set-gid file", HasBit(1, kSetGid)},
    {"fchmodat", EPERM, "set-gid file", HasBit(2, kSetGid)},
    {"fchmodat2", EPERM, "set-gid file", HasBit(2, kSetGid), {}, 452},
    {"open", EPERM, "set-gid file", HasBit(1, kCreate), HasBit(2, kSetGid)},
    {"open", EPERM, "set-gid file", HasBit(1, kTemporary), HasBit(2, kSetGid)},
    {"openat", EPERM, "set-gid file", HasBit(2, kCreate), HasBit(3, kSetGid)},
    {"openat", EPERM, "set-gid file", HasBit(2, kTemporary), HasBit(3, kSetGid)},
    {"creat", EPERM, "set-gid file", HasBit(1, kSetGid)},
    {"mknod", EPERM, "set-gid file", HasBit(1, kSetGid)},
    {"mknodat", EPERM, "set-gid file", HasBit(2, kSetGid)},
};

// Without namespaces the command shares what they would have kept apart.
inline constexpr std::uint32_t kAccessMode = 3, kTruncate = 01000;  // of open: O_ACCMODE, O_TRUNC

inline constexpr DeniedCall kSharedSystemCalls[] = {
    {"socket", EAFNOSUPPORT, "daemons behind Unix sockets act for whoever connects", Equals(0, kUnix)},
    // One of a pair of datagram sockets sends to any other by its path (unix(7)). Of SOCK_RAW the kernel makes the same.
    {"socketpair", EPERM, "datagrams to daemons behind Unix sockets", {1, kSocketTypeMask, kDatagram}},
    {"socketpair", EPERM, "datagrams to daemons behind Unix sockets", {1, kSocketTypeMask, kRaw}},
    {"shmget", ENOSYS, "System V memory of other processes"},
    {"shmat", ENOSYS, "System V memory of other processes"},
    {"shmctl", ENOSYS, "System V memory of other processes"},
    {"semget", ENOSYS, "System V semaphores of other processes"},
    {"semop", ENOSYS, "System V semaphores of other processes"},
    {"semtimedop", ENOSYS, "System V semaphores of other processes"},
    {"semctl", ENOSYS, "System V semaphores of other processes"},
    {"msgget", ENOSYS, "System V queues of other processes"},
    {"msgsnd", ENOSYS, "System V queues of other processes"},
    {"msgrcv", ENOSYS, "System V queues of other processes"},
    {"msgctl", ENOSYS, "System V queues of other processes"},
    {"mq_open", ENOSYS, "message queues of other processes"},
    {"mq_unlink", ENOSYS, "message queues of other processes"},
    // Landlock before ABI 3 does not see a truncation without writing.
    {"truncate", EPERM, "truncates what may only be read"},
    {"open", EPERM, "truncates what may only be read", {1, kAccessMode | kTruncate, kTruncate}},
    {"openat", EPERM, "truncates what may only be read", {2, kAccessMode | kTruncate, kTruncate}},
    {"open", EPERM, "truncates what may only be read", {1, kAccessMode | kTruncate, kAccessMode | kTruncate}},
    {"openat", EPERM, "truncates what may only be read", {2, kAccessMode | kTruncate, kAccessMode | kTruncate}},
    {"openat2", ENOSYS, "mode out of the filter's sight"},
    // By path, and Landlock is not asked. The ioctls that do the same need the file open.
    {.name = "file_setattr", .error = ENOSYS, .reason = "flags of files outside of the grants", .number = 469},
};
inline constexpr AllowedValues kSharedSystemValues[] = {
    {"prlimit64", 0, kOwnLimits, EPERM, "limits of other processes"},
};

inline constexpr DeniedCall kSocketCalls[] = {
    {"socket", EAFNOSUPPORT, "no network"},
};
// clang-format on

}  // namespace mxc::seccomp_rules
