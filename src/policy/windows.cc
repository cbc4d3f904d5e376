#include "policy/windows.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mxc/windows/path.h"
#include "policy/as_written.h"
#include "policy/paths/entries.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"
#include "policy/process.h"

namespace mxc {
namespace {

// Variables of the system and the user that programs expect. Any other variable of the caller may be a
// secret.
constexpr std::array<const char*, 24> kVariables = {"SystemRoot",
                                                    "SystemDrive",
                                                    "windir",
                                                    "ComSpec",
                                                    "PATH",
                                                    "PATHEXT",
                                                    "OS",
                                                    "PROCESSOR_ARCHITECTURE",
                                                    "ProgramData",
                                                    "ProgramFiles",
                                                    "ProgramW6432",
                                                    "NUMBER_OF_PROCESSORS",
                                                    "PUBLIC",
                                                    "ProgramFiles(x86)",
                                                    "CommonProgramFiles",
                                                    "ALLUSERSPROFILE",
                                                    "USERNAME",
                                                    "USERPROFILE",
                                                    "HOMEDRIVE",
                                                    "HOMEPATH",
                                                    "LOCALAPPDATA",
                                                    "APPDATA",
                                                    "TEMP",
                                                    "TMP"};

struct Seen {
  std::optional<FileStatus> status = {};
  std::string path = {};  // as the file system writes it
};

// Looks at each component: a user who may replace a link on the way chooses its target.
Result<Seen> LookAtAll(const std::string& path, const std::string& pointer, const Host& host) {
  for (std::size_t end = path.find('\\', 3);; end = path.find('\\', end + 1)) {
    const std::string part = path.substr(0, end);
    const Lookup lookup = host.LookAt(part);
    if (!lookup.status && lookup.failure == LookupFailure::kMissing) return Seen{.path = path};
    if (!lookup.status) {
      return Conflict(Quoted(path) + " cannot be looked at: " + Quoted(part) + ": " + lookup.reason, pointer,
                      "make the directories above it accessible to the caller, or remove the entry");
    }
    if (lookup.status->object.type == FileType::kSymlink) {
      const Result<std::string> target = host.ReadLink(path);
      return Conflict(Quoted(path) + " leads through the link " + Quoted(part), pointer,
                      target ? "write the real path, " + Quoted(*target) : "write the real path");
    }
    if (end != std::string::npos) continue;
    // Replaces short names, and other upper and lower case, by the file system's spelling.
    const Result<std::string> spelt = host.ReadLink(path);
    return Seen{.status = lookup.status, .path = spelt ? *spelt : path};
  }
}

Status CheckDelegation(const PathRule& rule, const Policy& policy, const Host& host) {
  const std::string name = Quoted(rule.path);
  if (rule.access != Access::kDenied && !host.MayAccess(rule.path, rule.access)) {
    return Conflict("the caller may not " +
                        std::string(rule.access == Access::kReadWrite ? "read and write " : "read ") + name,
                    rule.pointer, "grant only what the caller can access");
  }
  if (policy.containment != Containment::kProcessContainer) return Done{};
  // No change is needed where every AppContainer may read.
  const std::string system = host.Windows().windows_directory;
  const bool read_by_all =
      rule.access == Access::kReadOnly && !system.empty() && IsAtOrBelowOnWindows(rule.path, system);
  const bool brokered =
      policy.windows.bfs_allowed && rule.access != Access::kDenied && host.FindTool("bfscfg").has_value();
  if (read_by_all || brokered || host.MayChangeAccess(rule.path)) return Done{};
  return Conflict(
      "the caller may not change who has access to " + name, rule.pointer,
      "a container needs an entry in its access control list (the right WRITE_DAC): use a copy the "
      "caller owns");
}

PathRule* FindRule(std::vector<PathRule>& rules, std::string_view path) {
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const PathRule& rule) { return rule.path == path; });
  return found == rules.end() ? nullptr : &*found;
}

void Keep(PathRule rule, std::vector<PathRule>& kept) {
  if (PathRule* known = FindRule(kept, rule.path)) {
    known->access = Stricter(known->access, rule.access);
  } else {
    kept.push_back(std::move(rule));
  }
}

// Files of a distribution of WSL: its own mxc-exec looks at them.
bool IsLookedAtInside(std::string_view path, const Policy& policy) {
  return TraitsOf(policy.containment).linux_guest && !IsOnDrive(path);
}

// No file on Windows has such a name, so the entry would deny nothing.
Status CheckPattern(const PathRule& rule) {
  if (rule.path.find_first_of("*?") == std::string::npos) return Done{};
  return Conflict(Quoted(rule.path) + " is a pattern, and patterns are not expanded on Windows", rule.pointer,
                  "write the paths one by one");
}

Status LookAtRules(const Host& host, Policy& policy) {
  std::vector<PathRule> kept;
  for (PathRule& rule : policy.paths) {
    if (IsLookedAtInside(rule.path, policy)) {
      Keep(std::move(rule), kept);
      continue;
    }
    if (Status plain = CheckPattern(rule); !plain) return plain;
    Result<Seen> seen = LookAtAll(rule.path, rule.pointer, host);
    if (!seen) return seen.error();
    if (!seen->status && rule.access != Access::kDenied) {
      policy.warnings.push_back({.category = "path-missing",
                                 .message = Quoted(rule.path) + " of " + std::string(ListName(rule.access)) +
                                            " does not exist: nothing is granted",
                                 .pointer = rule.pointer});
      continue;
    }
    rule.path = std::move(seen->path);
    if (seen->status) {
      rule.object = seen->status->object;
      if (Status status = CheckDelegation(rule, policy, host); !status) return status;
    }
    Keep(std::move(rule), kept);
  }
  policy.paths = std::move(kept);
  return Done{};
}

Status ResolveDirectory(const ProcessConfig& written, const Host& host, Policy& policy) {
  std::string& cwd = policy.process.cwd;
  if (!written.cwd.empty() && IsLookedAtInside(cwd, policy)) return Done{};
  if (!written.cwd.empty()) {
    const Result<Seen> seen = LookAtAll(cwd, written.cwd_pointer, host);
    if (!seen) return seen.error();
    if (seen->status && seen->status->object.type == FileType::kDirectory) return Done{};
    return Conflict("cwd " + Quoted(cwd) + (seen->status ? " is not a directory" : " does not exist"),
                    written.cwd_pointer, "choose a directory the policy grants");
  }
  cwd = host.Windows().system_drive + "\\";
  if (!TraitsOf(policy.containment).isolates) cwd = host.WorkingDirectory();
  if (TraitsOf(policy.containment).linux_guest) cwd = "/";
  for (const Access access : {Access::kReadOnly, Access::kReadWrite}) {  // the last one found wins
    for (auto rule = policy.paths.rbegin(); rule != policy.paths.rend(); ++rule) {
      const bool directory = rule->object && rule->object->type == FileType::kDirectory;
      if (rule->access == access && directory) cwd = rule->path;
    }
  }
  return Done{};
}

std::vector<Variable> StandardVariables(const Host& host) {
  std::vector<Variable> variables;
  for (const char* name : kVariables) {
    if (std::optional<std::string> value = host.Environment(name))
      variables.push_back({.name = name, .value = Secret{std::move(*value)}});
  }
  return variables;
}

}  // namespace

Status ResolveOnWindows(const Config& config, const Host& host, Policy& policy) {
  policy.identity = host.Caller();
  policy.interactive = host.Interactive();
  if (Status status = ResolveWriting(config, policy); !status) return status;
  if (Status status = LookAtRules(host, policy); !status) return status;
  if (!TraitsOf(policy.containment).own_system)
    policy.process.environment = EnvironmentOf(config.process, StandardVariables(host));
  return ResolveDirectory(config.process, host, policy);
}

}  // namespace mxc
