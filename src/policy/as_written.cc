#include "policy/as_written.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "mxc/fold.h"
#include "policy/paths/baseline.h"
#include "policy/paths/entries.h"
#include "policy/paths/glob.h"
#include "policy/paths/paths.h"
#include "policy/paths/spelling.h"
#include "policy/process.h"

namespace mxc {
namespace {

constexpr Identity kOrdinaryCaller{.uid = 501, .gid = 20};  // the first user of a Mac

struct SystemLink {
  std::string_view path;
  std::string_view target;
};

// Links that every macOS has.
constexpr std::array<SystemLink, 3> kMacosLinks = {{
    {"/etc", "/private/etc"},
    {"/tmp", "/private/tmp"},
    {"/var", "/private/var"},
}};

std::string FollowSystemLinks(std::string path) {
  for (const SystemLink& link : kMacosLinks) {
    if (IsAtOrBelow(path, link.path)) return std::string(link.target) + path.substr(link.path.size());
  }
  return path;
}

bool StepsBack(std::string_view path) {
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find_first_of("/\\", start), path.size());
    if (path.substr(start, end - start) == "..") return true;
    start = end + 1;
  }
  return false;
}

// "C:\a\b" of "C:/a//.\b\": one kind of separator, none at the end but that of a drive.
std::string FoldWindows(std::string_view path) {
  std::string result;
  for (const char c : path) {
    const char next = c == '/' ? '\\' : c;
    if (next == '\\' && result.ends_with("\\.")) result.pop_back();
    const bool doubled = next == '\\' && result.size() > 1 && result.back() == '\\';
    if (!doubled) result += next;
  }
  if (result.ends_with("\\.")) result.pop_back();
  while (result.size() > 3 && result.back() == '\\') result.pop_back();
  return result;
}

// NTFS and APFS both ignore case, but a policy compares names without case on Windows only.
std::string KeyOf(const std::string& path, PathStyle style) {
  if (style == PathStyle::kPosix || path.starts_with('/')) return path;
  std::string key = Folded(path);
  std::replace(key.begin(), key.end(), '\\', '/');
  return key;
}

struct Written {
  PathRule rule = {};
  std::string key = {};
};

struct WrittenRules {
  std::vector<Written> rules = {};

  // Lists are added strictest first, so a path that has a rule keeps it.
  const Written* Add(PathRule rule, PathStyle style) {
    std::string key = KeyOf(rule.path, style);
    for (const Written& known : rules) {
      if (known.key == key) return &known;
    }
    rules.push_back({.rule = std::move(rule), .key = std::move(key)});
    return nullptr;
  }
};

void WarnOfTightened(const PathRule& known, const PathEntry& entry, Access wanted, Policy& policy) {
  if (known.access == wanted) return;
  policy.warnings.push_back({.category = "tightened",
                             .message = Quoted(entry.path) + " of " + std::string(ListName(wanted)) + " is " +
                                        std::string(Name(known.access)) + ": " + known.pointer +
                                        " names the same path",
                             .pointer = entry.pointer});
}

PathsOf WhosePaths(const Policy& policy) {
  return {.system = policy.system, .with_guest = TraitsOf(policy.containment).linux_guest};
}

Status AddList(const std::vector<PathEntry>& list, Access access, WrittenRules& rules, Policy& policy) {
  for (const PathEntry& entry : list) {
    Result<std::string> path = NormaliseWritten(entry, WhosePaths(policy));
    if (!path) return path.error();
    if (IsGlob(entry.path) && access != Access::kReadWrite) {
      policy.warnings.push_back(
          {.category = "glob-not-expanded",
           .message = "the pattern " + Quoted(entry.path) + " is expanded where the command runs",
           .pointer = entry.pointer});
    }
    if (access == Access::kReadWrite) WarnOfWholeHost(*path, entry, policy.warnings);
    PathRule rule{.path = std::move(*path), .access = access, .pointer = entry.pointer};
    const Written* known = rules.Add(std::move(rule), policy.path_style);
    if (known != nullptr) WarnOfTightened(known->rule, entry, access, policy);
  }
  return Done{};
}

Status AddRules(const Config& config, Policy& policy) {
  WrittenRules rules;
  if (Status status = AddList(config.denied, Access::kDenied, rules, policy); !status) return status;
  if (Status status = AddList(config.read_only, Access::kReadOnly, rules, policy); !status) return status;
  if (Status status = AddList(config.read_write, Access::kReadWrite, rules, policy); !status) return status;
  std::sort(rules.rules.begin(), rules.rules.end(),
            [](const Written& left, const Written& right) { return PathBefore(left.key, right.key); });
  for (Written& written : rules.rules) policy.paths.push_back(std::move(written.rule));
  if (policy.system != OperatingSystem::kMacos) return Done{};
  RuleSet with_baseline;
  for (PathRule& rule : policy.paths) with_baseline.Add(std::move(rule));
  AddMacosBaseline(with_baseline);
  policy.paths = with_baseline.Take();
  return Done{};
}

std::string FirstGrant(const Policy& policy) {
  for (const Access access : {Access::kReadWrite, Access::kReadOnly}) {
    for (const PathRule& rule : policy.paths) {
      if (rule.access == access && rule.origin == Origin::kPolicy) return rule.path;
    }
  }
  const bool windows = policy.path_style == PathStyle::kWindows && !TraitsOf(policy.containment).linux_guest;
  return windows ? "C:\\" : "/";
}

Status AddCommand(const ProcessConfig& written, Policy& policy) {
  Process& process = policy.process;
  process = {.argv = written.argv,
             .command_line = written.command_line,
             .cwd_pointer = written.cwd_pointer,
             .timeout_ms = written.timeout_ms};
  const bool windows = policy.system == OperatingSystem::kWindows;
  if (process.argv.empty() && windows) process.argv = {written.command_line};
  if (process.argv.empty()) process.argv = {"/bin/sh", "-c", written.command_line};
  const bool own = TraitsOf(policy.containment).own_system;
  process.environment =
      EnvironmentOf(written, own ? std::vector<Variable>{} : SystemEnvironment(policy.system, policy.paths));
  process.keeps_guest_environment = own && KeepsStandardEnvironment(written);
  process.cwd = FirstGrant(policy);
  if (written.cwd.empty()) return Done{};
  Result<std::string> cwd =
      NormaliseWritten({.path = written.cwd, .pointer = written.cwd_pointer}, WhosePaths(policy));
  if (!cwd) return cwd.error();
  process.cwd = std::move(*cwd);
  return Done{};
}

// Protected paths are found by searching the grants, which needs the machine.
void WarnOfProtection(const Config& config, Policy& policy) {
  const bool writable = std::any_of(policy.paths.begin(), policy.paths.end(),
                                    [](const PathRule& rule) { return rule.access == Access::kReadWrite; });
  if (!writable || config.protect.empty()) return;
  if (TraitsOf(policy.containment).linux_guest) return;  // Linux protects its own files
  const bool windows = policy.system == OperatingSystem::kWindows;
  policy.warnings.push_back(
      {.category = "protection-incomplete",
       .message = windows ? "nothing of `protect` stays unwritable in read-write grants on Windows"
                          : "what `protect` keeps unwritable is looked for where the command runs: this plan "
                            "does not show it",
       .pointer = config.protect.front().pointer});
}

}  // namespace

Result<std::string> NormaliseWritten(const PathEntry& entry, PathsOf whose) {
  const OperatingSystem system = whose.system;
  const bool guest = whose.with_guest && entry.path.starts_with('/');
  const bool windows = system == OperatingSystem::kWindows && !guest;
  if (entry.path.starts_with('/') == windows) return NoPathOn(system, entry);
  if (StepsBack(entry.path)) {
    return Conflict(Quoted(entry.path) + " steps back with `..`, which only the machine itself can follow",
                    entry.pointer, "write the path without `..`");
  }
  if (windows) return FoldWindows(entry.path);
  const std::string path = FoldLexically(entry.path);
  return system == OperatingSystem::kMacos ? FollowSystemLinks(path) : path;
}

Status ResolveWriting(const Config& config, Policy& policy) {
  if (Status status = AddRules(config, policy); !status) return status;
  WarnOfProtection(config, policy);
  policy.audit = config.audit;
  return AddCommand(config.process, policy);
}

Status ResolveAsWritten(const Config& config, Policy& policy) {
  policy.as_written = true;
  policy.warnings.push_back(
      {.category = "planned-elsewhere",
       .message = "planned for " + std::string(Name(policy.system)) +
                  " from what is written: no file was looked at, and it does not run here"});
  policy.identity = kOrdinaryCaller;
  return ResolveWriting(config, policy);
}

}  // namespace mxc
