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

// A command uses the path to an object that allows it more.
Access Looser(Access left, Access right) { return Stricter(left, right) == left ? right : left; }

// What the command can do at `path`; kDenied: not visible.
Access AccessAt(const RuleSet& rules, std::string_view path) {
  const PathRule* rule = rules.Covering(path);
  return rule != nullptr ? rule->access : Access::kDenied;
}

// The rules of the object at `path`, under any name. Absent: no rule has this object.
std::optional<Access> AccessOfObject(const RuleSet& rules, const Host& host, const std::string& path) {
  const std::optional<FileStatus> status = host.LookAt(path).status;
  std::optional<Access> access;
  for (const PathRule& rule : rules.All()) {
    if (!status || !rule.object || !rule.object->IsSame(status->object)) continue;
    access = Looser(access.value_or(rule.access), rule.access);
  }
  return access;
}

// Grants of a running sandbox follow their objects when the host renames them.
Access AccessByObject(const RuleSet& rules, const Host& host, std::string path) {
  const std::string barrier{PrivateNodeOf(path)};
  for (;; path = ParentOf(path)) {
    if (const std::optional<Access> access = AccessOfObject(rules, host, path)) return *access;
    if (path == "/" || path == barrier) return Access::kDenied;
  }
}

// What the command can do to files of the host, under all of their names.
class Reach {
 public:
  Reach(const RuleSet& rules, const Host& host, PathWalker& walker)
      : rules_(rules), host_(host), walker_(walker) {}

  [[nodiscard]] Access To(const std::string& path) {
    return Looser(Elsewhere(path), Looser(AccessAt(rules_, path), AccessByObject(rules_, host_, path)));
  }
  // Whether the command can write to `path` or to a directory above it, which it could rename.
  [[nodiscard]] bool Replaces(std::string path) {
    for (;; path = ParentOf(path)) {
      if (To(path) == Access::kReadWrite) return true;
      if (path == "/") return false;
    }
  }

 private:
  // The access under other names that mounts give it.
  [[nodiscard]] Access Elsewhere(const std::string& path) {
    if (!mounts_) mounts_ = ReadMounts(host_);
    if (!*mounts_) return Access::kDenied;  // Resolve has refused a policy that cannot be judged without them
    if (!names_) names_.emplace(std::move(**mounts_), walker_);
    const std::optional<std::vector<std::string>> others = names_->OthersOf(path);
    if (!others) return Access::kReadWrite;
    Access access = Access::kDenied;
    for (const std::string& name : *others) access = Looser(access, AccessAt(rules_, name));
    return access;
  }

  const RuleSet& rules_;
  const Host& host_;
  PathWalker& walker_;
  std::optional<Result<std::vector<Mount>>> mounts_ = {};
  std::optional<MountNames> names_ = {};
};

Error Reachable(const Record& record, Access access) {
  const bool writable = access == Access::kReadWrite;
  return Conflict(record.name + " " + Quoted(record.path) +
                      (writable ? " is inside a read-write grant" : " is where the command can read it"),
                  record.pointer, "choose a path that the command does not see");
}

Error ThroughLink(const Record& record, const std::string& link, const std::string& hint) {
  return Conflict(
      record.name + " " + Quoted(record.path) + " leads through the symbolic link " + Quoted(link),
      record.pointer, hint);
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
  const Access access = Reach(rules, host, walker).To(walked->path);
  if (access != Access::kDenied) return Reachable(record, access);
  // Another run, with other grants, may have put the link there.
  for (const LinkMet& met : walked->links) {
    if (IsRootsAlone(met) && AccessAt(rules, ParentOf(met.link.path)) != Access::kReadWrite) continue;
    return ThroughLink(record, met.link.path,
                       "write the real path, " + Quoted(walked->path) + ", if that is what you mean");
  }
  // One of /proc or /dev ("/dev/stderr"): the walk ends there.
  if (walked->Is(FileType::kSymlink))
    return ThroughLink(record, walked->path, "name a file by its real path");
  return std::move(walked->path);
}

// On Windows the text decides: opening does not follow a link at the path itself.
Result<std::string> CheckRecordOnWindows(const Record& record, const Host& host, const Policy& policy) {
  std::string path = record.path;
  std::replace(path.begin(), path.end(), '/', '\\');
  if (!IsOnDrive(path)) path = host.WorkingDirectory() + "\\" + path;
  for (const PathRule& rule : policy.paths) {
    if (rule.access != Access::kDenied && IsAtOrBelowOnWindows(path, rule.path))
      return Reachable(record, rule.access);
  }
  return record.path;
}

Result<std::string> CheckRecord(const Record& record, const Host& host, const Policy& policy) {
  if (record.path.empty() || !TraitsOf(policy.containment).isolates) return record.path;
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
  return ResolveRecord(absolute, host, walker, RuleSet(policy.paths));
}

Status CheckUnwritable(const Record& record, const Host& host, const Policy& policy) {
  if (record.path.empty() || !TraitsOf(policy.containment).isolates) return Done{};
  PathWalker walker(host);
  const RuleSet rules(policy.paths);
  const Result<Walked> walked = walker.Walk(record.path);
  if (!walked) return walked.error();
  std::vector<std::string> places = {walked->path};
  for (const LinkMet& met : walked->links) places.push_back(met.link.path);
  Reach reach(rules, host, walker);
  for (const std::string& place : places) {
    if (!reach.Replaces(place)) continue;
    return Conflict(record.name + " " + Quoted(record.path) + " is where the command may write (" +
                        Quoted(place) + "): it would choose what it is allowed next",
                    record.pointer, "keep it outside of every read-write grant");
  }
  return Done{};
}

std::string PathOfDescriptor(int number, const Host& host) {
  const Result<std::string> path = host.ReadLink("/proc/self/fd/" + std::to_string(number));
  const bool named = path && path->substr(0, 1) == "/" && host.LookAt(*path).status;
  return named ? *path : "";
}

}  // namespace mxc
