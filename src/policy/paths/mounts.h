// The mounts of this machine, and those that must not be visible inside: a recursive bind mount includes the
// mounts below it, and a /proc in a container's root directory is still the host's.
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
  std::string root = {};     // the part of the file system that it shows, "/" for all
  std::string source = {};   // a device, "server:/path", or any word
  std::string options = {};  // of the file system, as the kernel writes them
};

enum class Backing {
  kData,     // ordinary files
  kKernel,   // exposes the kernel or devices
  kUnknown,  // without a block device, of a type in no table
};

[[nodiscard]] Backing BackingOf(const Mount& mount);

// A hint for a `path` that the kernel denies even to root, or to everybody but one user: "" unless it is on a
// network or FUSE file system. Called only after a failure.
[[nodiscard]] std::string RemedyFor(const Host& host, std::string_view path);

// The text of /proc/self/mountinfo. Errors: kConflict for a malformed line.
[[nodiscard]] Result<std::vector<Mount>> ParseMounts(std::string_view text);

// The mounts of the caller's mount namespace. Errors: kUnavailable if they cannot be read.
[[nodiscard]] Result<std::vector<Mount>> ReadMounts(const Host& host);
// Whether an outer sandbox of ours without its own /proc hides the mounts: it denies all files of processes.
// A command started here has no more access than this process.
[[nodiscard]] bool MountsAreHidden(const Host& host);

// Denies mounts below a grant of the policy that are not of kind kData. Errors: kConflict for a grant inside
// such a file system.
[[nodiscard]] Status DenyKernelMounts(const std::vector<Mount>& mounts,
                                      const std::vector<ExaminedEntry>& entries, PathWalker& walker,
                                      RuleSet& rules, std::vector<Warning>& warnings);

}  // namespace mxc
