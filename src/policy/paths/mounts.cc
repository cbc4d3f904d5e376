#include "policy/paths/mounts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "base/lists.h"
#include "base/path.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

// File systems without a block device that hold ordinary files.
constexpr std::array<std::string_view, 36> kData = {
    "9p",     "acfs",   "afs",     "aufs",  "autofs",   "bcachefs", "beegfs",  "btrfs",    "ceph",
    "cifs",   "coda",   "drvfs",   "erofs", "ecryptfs", "fuse",     "fuseblk", "gpfs",     "hostfs",
    "lustre", "lxfs",   "nfs",     "nfs4",  "orangefs", "overlay",  "panfs",   "prl_fs",   "pvfs2",
    "ramfs",  "rootfs", "shiftfs", "smb3",  "tmpfs",    "ubifs",    "vboxsf",  "virtiofs", "zfs"};

// File systems that expose the kernel. Some check only the owner, so root inside could use them.
constexpr std::array<std::string_view, 29> kKernel = {
    "binder",    "binfmt_misc", "bpf",      "cgroup",   "cgroup2",    "configfs", "cpuset",     "debugfs",
    "devfs",     "devpts",      "devtmpfs", "efivarfs", "functionfs", "fusectl",  "gadgetfs",   "hugetlbfs",
    "mqueue",    "nfsd",        "nsfs",     "proc",     "pstore",     "resctrl",  "rpc_pipefs", "securityfs",
    "selinuxfs", "smackfs",     "sysfs",    "tracefs",  "xenfs"};

template <std::size_t Size>
bool IsIn(const std::array<std::string_view, Size>& table, std::string_view type) {
  return std::find(table.begin(), table.end(), type) != table.end();
}

// "8:1" as stat(2) gives it: the C library's makedev.
std::optional<std::uint64_t> DeviceOf(std::string_view text) {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, major);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ':') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, minor);
  if (second.ec != std::errc() || second.ptr != end) return std::nullopt;
  const auto wide = [](std::uint32_t part) { return std::uint64_t{part}; };
  return wide(minor & 0xffU) | wide(major & 0xfffU) << 8U | wide(minor & 0xffffff00U) << 12U |
         wide(major & 0xfffff000U) << 32U;
}

std::optional<std::uint64_t> NumberIn(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || last != end) return std::nullopt;
  return number;
}

// "36 35 98:0 /root /point options tags… - type source options"
std::optional<Mount> ParseLine(std::string_view line) {
  const std::optional<std::uint64_t> id = NumberIn(TakePiece(line, ' '));
  const std::optional<std::uint64_t> parent = NumberIn(TakePiece(line, ' '));
  const std::optional<std::uint64_t> device = DeviceOf(TakePiece(line, ' '));
  const std::string_view root = TakePiece(line, ' ');
  Mount mount{.path = UnescapePath(TakePiece(line, ' ')), .root = UnescapePath(root)};
  constexpr std::string_view kDash = " - ";
  const std::size_t dash = line.find(kDash);
  if (!id || !parent || !device || mount.path.substr(0, 1) != "/" || dash == std::string_view::npos)
    return std::nullopt;
  line.remove_prefix(dash + kDash.size());
  mount.type = TakePiece(line, ' ');
  mount.source = UnescapePath(TakePiece(line, ' '));
  mount.options = line;
  mount.id = *id;
  mount.parent = *parent;
  mount.device = *device;
  return mount.type.empty() ? std::nullopt : std::optional(std::move(mount));
}

bool ShowsKernel(const Mount& mount) {
  return BackingOf(mount) != Backing::kData && !IsNeverFromHost(mount.path);
}

Status CheckGrants(const std::vector<ExaminedEntry>& entries, const std::vector<Mount>& mounts) {
  for (const ExaminedEntry& entry : entries) {
    if (entry.access == Access::kDenied) continue;
    for (const Mount& mount : mounts) {
      if (IsNeverFromHost(mount.path) || mount.device != entry.walked.status->object.device ||
          BackingOf(mount) != Backing::kKernel)
        continue;
      return Conflict(Quoted(entry.walked.path) + " is in a file system of the kernel (" + mount.type +
                          "): the host's never appears inside",
                      entry.pointer, "remove the entry; the sandbox has its own /proc and /dev");
    }
  }
  return Done{};
}

void WarnOf(const Mount& mount, const PathRule& grant, std::vector<Warning>& warnings) {
  const bool kernel = BackingOf(mount) == Backing::kKernel;
  const std::string what = kernel ? "a file system of the kernel (" + mount.type + ") and is denied"
                                  : "a file system of unknown kind (" + mount.type +
                                        ") and is denied; grant it by its own path if it is meant";
  warnings.push_back(
      {.category = "kernel-mount",
       .message = Quoted(mount.path) + " in the grant of " + Quoted(grant.path) + " is " + what,
       .pointer = grant.pointer});
}

Status DenyMount(const Mount& mount, PathWalker& walker, RuleSet& rules, std::vector<Warning>& warnings) {
  const PathRule* grant = rules.Covering(mount.path);
  if (grant == nullptr || grant->access == Access::kDenied || grant->origin != Origin::kPolicy) return Done{};
  const Lookup& lookup = walker.LookAt(mount.path);
  if (!lookup.status && lookup.failure == LookupFailure::kOther) {
    return Conflict(Quoted(mount.path) + ", a mount below it, cannot be looked at: " + lookup.reason,
                    grant->pointer, "grant less, or deny that path");
  }
  // Another mount covers it, or neither caller nor command can reach it.
  if (!lookup.status || lookup.status->object.device != mount.device || grant->path == mount.path)
    return Done{};
  WarnOf(mount, *grant, warnings);
  rules.Add({.path = mount.path, .access = Access::kDenied, .object = lookup.status->object});
  return Done{};
}

}  // namespace

Backing BackingOf(const Mount& mount) {
  if (IsIn(kKernel, mount.type)) return Backing::kKernel;
  // Numbers below 256 << 8 with major 0 are allocated to file systems without a device.
  constexpr std::uint64_t kMajorBits = 0xfffff000000fff00;
  const bool disk = (mount.device & kMajorBits) != 0;
  const bool fuse = mount.type.substr(0, 5) == "fuse.";
  return disk || fuse || IsIn(kData, mount.type) ? Backing::kData : Backing::kUnknown;
}

Result<std::vector<Mount>> ParseMounts(std::string_view text) {
  std::vector<Mount> mounts;
  while (!text.empty()) {
    const std::string_view line = TakePiece(text, '\n');
    std::optional<Mount> mount = ParseLine(line);
    if (!mount) {
      return Conflict("the kernel's list of mounts has an unreadable line: " + Quoted(line), "/filesystem",
                      "report this line");
    }
    mounts.push_back(std::move(*mount));
  }
  return mounts;
}

bool MountsAreHidden(const Host& host) {
  const std::string file = "/proc/self/mountinfo";
  return host.LookAt(file).status.has_value() && !host.ReadFile(file, 1).ok();
}

Result<std::vector<Mount>> ReadMounts(const Host& host) {
  Result<std::string> text = host.ReadFile("/proc/self/mountinfo", kMaxMountTableBytes + 1);
  if (text && text->size() <= kMaxMountTableBytes) return ParseMounts(*text);
  const std::string why =
      text ? "it is longer than " + std::to_string(kMaxMountTableBytes) + " bytes" : text.error().message;
  return Unavailable("what is mounted below the grants cannot be learned: " + why, "/filesystem",
                     "mount /proc, or run where fewer file systems are mounted");
}

std::string RemedyFor(const Host& host, std::string_view path) {
  const Result<std::vector<Mount>> mounts = ReadMounts(host);
  if (!mounts) return "";
  const Mount* nearest = nullptr;  // of several mounts on one directory the last one shows
  for (const Mount& mount : *mounts) {
    const bool nearer = nearest == nullptr || mount.path.size() >= nearest->path.size();
    if (IsAtOrBelow(path, mount.path) && nearer) nearest = &mount;
  }
  if (nearest == nullptr) return "";
  const std::string where = "it is on " + Quoted(nearest->path) + " (" + nearest->type + "), ";
  if (nearest->type.substr(0, 4) == "fuse") {
    return where + "which only the user sees who mounted it: run as that user, or mount it with allow_other";
  }
  const bool nfs = nearest->type == "nfs" || nearest->type == "nfs4";
  if (!nfs || !host.Caller().IsRoot()) return "";
  return where + "whose server takes root for nobody: run as a user who has access";
}

Status DenyKernelMounts(const std::vector<Mount>& mounts, const std::vector<ExaminedEntry>& entries,
                        PathWalker& walker, RuleSet& rules, std::vector<Warning>& warnings) {
  if (Status granted = CheckGrants(entries, mounts); !granted) return granted;
  for (const Mount& mount : mounts) {
    if (!ShowsKernel(mount)) continue;
    if (Status denied = DenyMount(mount, walker, rules, warnings); !denied) return denied;
  }
  return Done{};
}

}  // namespace mxc
