// What is mounted where, and what of it must never show inside: a bind mount brings along what is mounted
// below it, and a /proc that stands in a container's root directory is the host's all the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/entries.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

struct Mount {
  std::string path = {};     // where, in the caller's mount namespace
  std::string type = {};     // "ext4", "proc", "fuse.sshfs"
  std::uint64_t device = 0;  // of its file system; st_dev of the objects on it, but on btrfs
  std::uint64_t id = 0;
  std::uint64_t parent = 0;  // the mount it is attached to
  std::string root = {};     // what of the file system it shows, "/" for all of it
  std::string source = {};   // a device, "server:/path", or any word
  std::string options = {};  // of the file system, as the kernel writes them
};

enum class Backing {
  kData,     // files of people and programs
  kKernel,   // a window into the kernel or to devices
  kUnknown,  // without a disk below, and of a type that no table names
};

[[nodiscard]] Backing BackingOf(const Mount& mount);

// What to do about a `path` that the kernel keeps even from root, or from everybody but one user: "" unless
// it is on a network or user file system. Asked only when something has failed.
[[nodiscard]] std::string RemedyFor(const Host& host, std::string_view path);

// The text of /proc/self/mountinfo. Errors: kConflict, for a line that is not one.
[[nodiscard]] Result<std::vector<Mount>> ParseMounts(std::string_view text);

// What is mounted in the caller's mount namespace. Errors: kUnavailable, when that cannot be learned.
[[nodiscard]] Result<std::vector<Mount>> ReadMounts(const Host& host);
// Inside a sandbox of ours without a /proc of its own nobody may read what belongs to a process. Nothing that
// is started here gets further than we do.
[[nodiscard]] bool MountsAreHidden(const Host& host);

// Denies what is mounted below a grant of the policy and is not data. Errors: kConflict, for a grant of
// something inside such a file system.
[[nodiscard]] Status DenyKernelMounts(const std::vector<Mount>& mounts,
                                      const std::vector<ExaminedEntry>& entries, PathWalker& walker,
                                      RuleSet& rules, std::vector<Warning>& warnings);

}  // namespace mxc
