#include "policy/records.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "mxc/windows/path.h"
#include "policy/paths/entries.h"
#include "policy/paths/mount_names.h"
#include "policy/paths/mounts.h"

namespace mxc {

namespace {

bool IsWritable(const RuleSet& rules, std::string_view path) {
  const PathRule* rule = rules.Covering(path);
  return rule != nullptr && rule->access == Access::kReadWrite;
}

// Under another name that a mount gives it.
bool IsWritableElsewhere(const RuleSet& rules, const Host& host, PathWalker& walker,
                         const std::string& path) {
  if (rules.PathsWith(Access::kReadWrite).empty()) return false;
  Result<std::vector<Mount>> mounts = ReadMounts(host);
  if (!mounts) return false;  // Resolve has refused what then cannot be judged
  const std::optional<std::vector<std::string>> others =
      MountNames(std::move(*mounts), walker).OthersOf(path);
  return !others || std::any_of(others->begin(), others->end(),
                                [&](const std::string& name) { return IsWritable(rules, name); });
}

bool IsSame(const FileObject& left, const FileObject& right) {
  return left.device == right.device && left.inode == right.inode;
}

// The rules of what is at `path`, under whatever name. None: no rule has this object.
std::optional<Access> AccessOfObject(const RuleSet& rules, const Host& host, const std::string& path) {
  const std::optional<FileStatus> status = host.LookAt(path).status;
  std::optional<Access> access;
  for (const PathRule& rule : rules.All()) {
    if (!status || !rule.object || !IsSame(*rule.object, status->object)) continue;
    if (rule.access == Access::kReadWrite) return rule.access;
    access = rule.access;
  }
  return access;
}

// A sandbox that stands has its grants under whatever names the host has given them since.
bool IsBelowWritableObject(const RuleSet& rules, const Host& host, std::string path) {
  const std::string barrier{PrivateNodeOf(path)};
  for (;; path = ParentOf(path)) {
    if (const std::optional<Access> access = AccessOfObject(rules, host, path))
      return *access == Access::kReadWrite;
    if (path == "/" || path == barrier) return false;
  }
}

}  // namespace

Result<std::string> ResolveRecord(const Record& record, const Host& host, PathWalker& walker,
                                  const RuleSet& rules) {
  Result<Walked> walked = walker.Walk(record.path);
  if (!walked) {
    return Conflict(
        record.name + " " + Quoted(record.path) + " cannot be resolved: " + walked.error().message,
        record.pointer, "choose a path the caller can look at");
  }
  if (IsWritable(rules, walked->path) || IsBelowWritableObject(rules, host, walked->path) ||
      IsWritableElsewhere(rules, host, walker, walked->path)) {
    return Conflict(record.name + " " + Quoted(record.path) + " is inside a read-write grant", record.pointer,
                    "choose a path the command cannot write");
  }
  // Another run, with other grants, may have put the link there.
  for (const LinkMet& met : walked->links) {
    if (IsRootsAlone(met) && !IsWritable(rules, ParentOf(met.link.path))) continue;
    return Conflict(
        record.name + " " + Quoted(record.path) + " leads through the symbolic link " + Quoted(met.link.path),
        record.pointer, "write the real path, " + Quoted(walked->path) + ", if that is what you mean");
  }
  return std::move(walked->path);
}

// On Windows the text decides: a link at the place itself is not followed when it is opened.
Result<std::string> CheckRecordOnWindows(const Record& record, const Host& host, const Policy& policy) {
  std::string path = record.path;
  std::replace(path.begin(), path.end(), '/', '\\');
  if (!IsOnDrive(path)) path = host.WorkingDirectory() + "\\" + path;
  for (const PathRule& rule : policy.paths) {
    if (rule.access != Access::kReadWrite || !IsAtOrBelowOnWindows(path, rule.path)) continue;
    return Conflict(record.name + " " + Quoted(record.path) + " is inside a read-write grant", record.pointer,
                    "choose a path the command cannot write");
  }
  return record.path;
}

Result<std::string> CheckRecord(const Record& record, const Host& host, const Policy& policy) {
  if (record.path.empty() || policy.containment == Containment::kNone) return record.path;
  if (policy.path_style == PathStyle::kWindows) return CheckRecordOnWindows(record, host, policy);
  Record absolute = record;
  if (record.path.front() != '/') {
    const std::string here = host.WorkingDirectory();
    if (here.empty()) {
      return Conflict(
          record.name + " " + Quoted(record.path) + " is relative, and the working directory has no name",
          record.pointer, "write an absolute path");
    }
    absolute.path = JoinPath(here, record.path);
  }
  PathWalker walker(host);
  Result<std::string> path = ResolveRecord(absolute, host, walker, RuleSet(policy.paths));
  // Behind a link of /proc or /dev ("/dev/stderr") only the written name is right.
  if (path && IsNeverFromHost(*path)) return record.path;
  return path;
}

std::string PathOfDescriptor(int number, const Host& host) {
  const Result<std::string> path = host.ReadLink("/proc/self/fd/" + std::to_string(number));
  const bool named = path && path->substr(0, 1) == "/" && host.LookAt(*path).status;
  return named ? *path : "";
}

}  // namespace mxc
