// Policies for the tests of the Linux planners, and mount trees as text to compare with.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/linux/mount_words.h"
#include "mxc/policy.h"
#include "mxc/sandbox/linux_sandbox.h"

namespace mxc::testing_policies {

inline PathRule Rule(Access access, std::string path, FileType type, std::string pointer) {
  return {.path = std::move(path),
          .access = access,
          .object = FileObject{.device = 1, .inode = 2, .type = type},
          .pointer = std::move(pointer)};
}
inline PathRule ReadOnly(std::string path, std::string pointer = "/filesystem/readonlyPaths/0") {
  return Rule(Access::kReadOnly, std::move(path), FileType::kDirectory, std::move(pointer));
}
inline PathRule ReadWrite(std::string path, std::string pointer = "/filesystem/readwritePaths/0") {
  return Rule(Access::kReadWrite, std::move(path), FileType::kDirectory, std::move(pointer));
}
inline PathRule DeniedDirectory(std::string path, std::string pointer = "/filesystem/deniedPaths/0") {
  return Rule(Access::kDenied, std::move(path), FileType::kDirectory, std::move(pointer));
}
inline PathRule DeniedFile(std::string path, std::string pointer = "/filesystem/deniedPaths/0") {
  return Rule(Access::kDenied, std::move(path), FileType::kRegular, std::move(pointer));
}
inline PathRule DeniedMissing(std::string path, std::string first_missing,
                              std::string pointer = "/filesystem/deniedPaths/0") {
  return {.path = std::move(path),
          .access = Access::kDenied,
          .first_missing = std::move(first_missing),
          .pointer = std::move(pointer)};
}
inline PathRule Baseline(std::string path, Access access = Access::kReadOnly) {
  PathRule rule = Rule(access, std::move(path), FileType::kDirectory, "");
  if (access == Access::kDenied) rule.object->type = FileType::kRegular;
  rule.origin = Origin::kBaseline;
  return rule;
}

// An ordinary caller running `true`; a clause for every rule that has a pointer.
inline Policy PolicyOf(std::vector<PathRule> paths) {
  Policy policy;
  policy.process.argv = {"/bin/sh", "-c", "true"};
  policy.process.command_line = "true";
  policy.process.cwd = "/";
  policy.identity = {.uid = 1000, .gid = 1000};
  policy.temp_place = "/var/tmp/mxc-exec-temp-1000";
  for (const PathRule& rule : paths) {
    if (!rule.pointer.empty()) policy.clauses.push_back({.pointer = rule.pointer, .text = rule.path});
  }
  policy.paths = std::move(paths);
  return policy;
}

// One node a line: "read-only /usr", "tmpfs /tmp 1073741824 bytes, mode 1777".
inline std::string Text(const std::vector<MountNode>& mounts) {
  std::string text;
  for (const MountNode& node : mounts) {
    const linux_backend::MountWords words = linux_backend::Words(node);
    text += words.kind + " " + words.target + (words.detail.empty() ? "" : " " + words.detail) + "\n";
  }
  return text;
}

// The same without the sandbox's own nodes.
inline std::string PolicyText(const std::vector<MountNode>& mounts) {
  std::vector<MountNode> rest;
  for (const MountNode& node : mounts) {
    const std::string target = linux_backend::Words(node).target;
    const bool own = target == "/dev" || target == "/dev/shm" || target == "/proc" || target == "/sys" ||
                     target == "/tmp" || target == "/tmp/home";
    if (!own) rest.push_back(node);
  }
  return Text(rest);
}

}  // namespace mxc::testing_policies
