#include "policy/second_names.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "mxc/limits.h"
#include "policy/paths/baseline.h"
#include "policy/paths/entries.h"
#include "policy/protect/protect.h"

namespace mxc {
namespace {

constexpr std::string_view kDeleted = "//deleted";  // behind the root of such a mount

bool IsStricter(Access left, Access right) { return left != right && Stricter(left, right) == left; }

// Of the baseline only the denials of secrets and sockets hold under other names; its other rules do not
// restrict grants of the policy.
bool HoldsElsewhere(const PathRule& rule) {
  if (rule.access == Access::kReadWrite) return false;
  if (rule.origin != Origin::kBaseline) return true;
  const auto rows = HiddenRows();
  return rule.access == Access::kDenied && rule.source.empty() &&
         std::none_of(rows.begin(), rows.end(),
                      [&](const BaselineRow& row) { return row.path == rule.path; });
}

class SecondNames {
 public:
  SecondNames(const MountNames& names, PathWalker& walker, RuleSet& rules, std::vector<Warning>& warnings)
      : names_(names), walker_(walker), rules_(rules), warnings_(warnings) {}

  Status HoldRules() {
    std::vector<PathRule> strict;
    for (const PathRule& rule : rules_.All()) {
      if (HoldsElsewhere(rule)) strict.push_back(rule);
    }
    for (const PathRule& rule : strict) {
      const Result<std::vector<std::string>> others = OthersOf(rule.path, rule);
      if (!others) return others.error();
      for (const std::string& name : *others) {
        if (Status held = Hold(rule, name); !held) return held;
      }
    }
    return Done{};
  }

  // Warns of read-only files in read-write grants. For denied files ExamineEntries warns.
  void WarnOfHardLinks() {
    for (const PathRule& rule : rules_.All()) {
      if (rule.origin != Origin::kPolicy || rule.access != Access::kReadOnly) continue;
      const PathRule* const above = rules_.Covering(ParentOf(rule.path));
      if (above == nullptr || above->access != Access::kReadWrite) continue;
      const Lookup& lookup = walker_.LookAt(rule.path);
      if (!lookup.Is(FileType::kRegular) || lookup.status->links < 2) continue;
      warnings_.push_back({.category = "hard-link",
                           .message = Quoted(rule.path) + " has " + std::to_string(lookup.status->links) +
                                      " names: it is read-only by this one"});
    }
  }

  Status HoldMounts() {
    for (const Mount* mount : names_.Visible()) {
      if (Status held = HoldMount(*mount); !held) return held;
    }
    return Done{};
  }

  Status CheckGrants() {
    for (const PathRule& rule : rules_.All()) {
      if (rule.origin != Origin::kPolicy || rule.access == Access::kDenied) continue;
      if (Status checked = CheckGrant(rule); !checked) return checked;
    }
    return Done{};
  }

  void ProtectRepositories(const std::string& pointer) {
    for (const Mount* mount : names_.Visible()) {
      const PathRule* here = rules_.Covering(mount->path);
      if (here == nullptr || here->access != Access::kReadWrite || BackingOf(*mount) == Backing::kKernel)
        continue;
      std::vector<std::string> names = names_.OthersOf(mount->path).value_or(std::vector<std::string>{});
      names.push_back(mount->root);
      for (const std::string& name : names) {
        for (std::string_view above = name; above != "/"; above = ParentOf(above)) {
          if (IsGitDirectory(above))
            ProtectRows(*mount, std::string_view(name).substr(above.size()), pointer);
        }
      }
    }
  }

 private:
  Result<std::vector<std::string>> OthersOf(const std::string& path, const PathRule& rule) const {
    std::optional<std::vector<std::string>> others = names_.OthersOf(path);
    if (others) return std::move(*others);
    return Conflict(
        Quoted(path) + " has more than " + std::to_string(kMaxSecondNames) + " names through mounts",
        rule.pointer, "unmount some of them, or grant less");
  }

  Status Hold(const PathRule& rule, const std::string& name) {
    const PathRule* here = rules_.Covering(name);
    if (here == nullptr || !IsStricter(rule.access, here->access)) return Done{};
    const bool entry = here->path == name && here->origin == Origin::kPolicy;
    if (entry && rule.origin == Origin::kBaseline) return Done{};
    const Lookup& lookup = walker_.LookAt(name);
    if (!lookup.status && lookup.failure == LookupFailure::kOther) {
      return Conflict(
          Quoted(name) + ", another name of " + Quoted(rule.path) + ", cannot be looked at: " + lookup.reason,
          rule.pointer, "grant less, or deny that path");
    }
    const bool missing = !rule.object;
    if (missing == lookup.status.has_value() || lookup.failure == LookupFailure::kDenied) {
      if (!lookup.status) return Done{};  // nothing is there, or neither caller nor command can reach it
    }
    PathRule second = rule;
    second.path = name;
    second.object = lookup.status ? std::optional(lookup.status->object) : std::nullopt;
    second.look_alike.reset();
    if (!rule.first_missing.empty())
      second.first_missing = name.substr(0, name.size() - (rule.path.size() - rule.first_missing.size()));
    Tighten(std::move(second), rule);
    return Done{};
  }

  // A mount below a grant may show a part of a directory that has a stricter rule.
  Status HoldMount(const Mount& mount) {
    const PathRule* here = rules_.Covering(mount.path);
    if (here == nullptr || here->access == Access::kDenied || here->path == mount.path) return Done{};
    const Result<std::vector<std::string>> others = OthersOf(mount.path, *here);
    if (!others) return others.error();
    PathRule strictest = *here;
    for (const std::string& name : *others) {
      const PathRule* rule = rules_.Covering(name);
      const bool holds = rule != nullptr && HoldsElsewhere(*rule);
      if (holds && IsStricter(rule->access, strictest.access)) strictest = *rule;
    }
    // The kernel reports the paths of layers at mount time, not where they are now, nor what was renamed in
    // the overlay (redirect_dir, metacopy).
    const bool unknown = mount.type == "overlay" && here->origin == Origin::kPolicy;
    if (unknown) strictest.access = Access::kDenied;
    const Lookup& lookup = walker_.LookAt(mount.path);
    if (lookup.status && mount.root.ends_with(kDeleted))
      strictest = StrictestAbout(lookup.status->object, strictest);
    if (strictest.access == here->access) return Done{};
    if (!lookup.status && lookup.failure == LookupFailure::kOther)
      return Conflict(Quoted(mount.path) + ", a mount below it, cannot be looked at: " + lookup.reason,
                      here->pointer, "grant less, or deny that path");
    if (!lookup.status) return Done{};  // neither caller nor command can reach it
    if (unknown) {
      warnings_.push_back({.category = "kernel-mount",
                           .message = Quoted(mount.path) + " in the grant of " + Quoted(here->path) +
                                      " is an overlay, whose layers cannot be told for sure, and is denied; "
                                      "grant it by its own path if it is meant",
                           .pointer = here->pointer});
    }
    PathRule second{.path = mount.path,
                    .access = strictest.access,
                    .object = lookup.status->object,
                    .pointer = unknown ? "" : strictest.pointer,
                    .origin = unknown ? Origin::kPolicy : strictest.origin};
    Tighten(std::move(second), strictest);
    return Done{};
  }

  // The strictest rule for the object of a mount whose path was removed: it may have other names.
  [[nodiscard]] PathRule StrictestAbout(const FileObject& object, PathRule strictest) const {
    for (const PathRule& rule : rules_.All()) {
      const bool same = rule.object && rule.object->IsSame(object);
      if (same && HoldsElsewhere(rule) && IsStricter(rule.access, strictest.access)) strictest = rule;
    }
    return strictest;
  }

  // Refuses a grant whose object is, by another name, below a directory of the same file system with a
  // stricter rule: the policy contradicts itself. A rule that reaches the object only across a mount, or a
  // rule for "/", does not count.
  Status CheckGrant(const PathRule& grant) {
    const Result<std::vector<std::string>> others = OthersOf(grant.path, grant);
    if (!others) return others.error();
    for (const std::string& name : *others) {
      const PathRule* rule = rules_.Covering(name);
      if (rule == nullptr || rule->origin == Origin::kBaseline || rule->path == "/" || rule->path == name)
        continue;
      if (!IsStricter(rule->access, grant.access)) continue;
      const Mount* mount = names_.At(name);
      if (mount != nullptr && !IsAtOrBelow(rule->path, mount->path)) continue;
      return Conflict(Quoted(grant.path) + " is " + std::string(Name(grant.access)) +
                          ", but a mount makes it another name of " + Quoted(name) + ", which is " +
                          std::string(Name(rule->access)) + " (" + Quoted(rule->path) + ")",
                      grant.pointer, "grant " + Quoted(name) + " as well if that is meant");
    }
    return Done{};
  }

  // Whether it is a git directory, by its name or its contents.
  [[nodiscard]] bool IsGitDirectory(std::string_view path) const {
    if (path.ends_with(".git")) return true;
    for (const char* part : {"objects", "refs"}) {  // git never renames these, but replaces HEAD
      if (!walker_.LookAt(JoinPath(path, part)).status) return false;
    }
    return true;
  }

  // `inside`: what `mount` shows of a git directory, relative to that.
  void ProtectRows(const Mount& mount, std::string_view inside, const std::string& pointer) {
    for (const ProtectedRow& row : GitDirectoryRows()) {
      const std::string path = JoinPath("/", row.path);
      const bool part = IsAtOrBelow(path, inside);  // strictly below what the mount shows
      if (!part && !IsAtOrBelow(inside, path)) continue;
      const std::string name = mount.path + (part ? path.substr(inside.size()) : "");
      const PathRule* here = rules_.Covering(name);
      const Lookup& lookup = walker_.LookAt(name);
      if (here == nullptr || here->access != Access::kReadWrite || here->path == name || !lookup.status)
        continue;
      rules_.Add(
          {.path = name, .object = lookup.status->object, .pointer = pointer, .origin = Origin::kProtection});
    }
  }

  // Replaces a looser rule at this second name by `rule`, which `other` causes.
  void Tighten(PathRule rule, const PathRule& other) {
    if (other.origin == Origin::kPolicy && !rule.pointer.empty()) {
      warnings_.push_back({.category = "tightened",
                           .message = Quoted(rule.path) + " is " + std::string(Name(rule.access)) +
                                      ": a mount makes it another name of what " + Quoted(other.path) +
                                      " is about",
                           .pointer = rule.pointer});
    }
    if (rules_.Find(rule.path) == nullptr) {
      rules_.Add(std::move(rule));
    } else {
      rules_.Replace(std::move(rule));
    }
  }

  const MountNames& names_;
  PathWalker& walker_;
  RuleSet& rules_;
  std::vector<Warning>& warnings_;
};

}  // namespace

Status HoldSecondNames(const MountNames& names, const std::string* git, PathWalker& walker, RuleSet& rules,
                       std::vector<Warning>& warnings) {
  SecondNames second(names, walker, rules, warnings);
  if (git != nullptr) second.ProtectRepositories(*git);
  second.WarnOfHardLinks();
  if (!names.Any()) return Done{};
  if (Status held = second.HoldRules(); !held) return held;
  if (Status held = second.HoldMounts(); !held) return held;
  return second.CheckGrants();
}

}  // namespace mxc
