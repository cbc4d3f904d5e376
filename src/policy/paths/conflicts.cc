// Conflicts between entries: aliases of one object, one path in two lists, links in writable directories.
#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>
#include <utility>

#include "config/profile_pointer.h"
#include "policy/paths/entries.h"

namespace mxc {
namespace {

using ObjectKey = std::pair<std::uint64_t, std::uint64_t>;

ObjectKey KeyOf(const FileStatus& status) { return {status.object.device, status.object.inode}; }

bool InsideReadWrite(const RuleSet& rules, const std::string& path) {
  const PathRule* rule = rules.Covering(ParentOf(path));
  return rule != nullptr && rule->access == Access::kReadWrite;
}

// `entry` as it is visible below `alias`, another name of the directory `above`.
ExaminedEntry Under(const ExaminedEntry& entry, std::string_view above, std::string_view alias) {
  const auto moved = [&](std::string_view path) {
    return JoinPath(alias, path.substr(above == "/" ? 1 : above.size() + 1));
  };
  ExaminedEntry result = entry;
  result.walked.path = moved(entry.walked.path);
  if (!entry.walked.status) result.walked.first_missing = moved(entry.walked.first_missing);
  result.walked.links.clear();
  return result;
}

using GrantsByObject = std::multimap<ObjectKey, const ExaminedEntry*>;

// Repeats `entry` below each looser grant that is another name of a directory above it.
void Repeat(const ExaminedEntry& entry, const GrantsByObject& grants, PathWalker& walker,
            std::vector<ExaminedEntry>& repeated) {
  for (std::string_view above = entry.walked.path; above != "/";) {
    above = ParentOf(above);
    const Lookup& lookup = walker.LookAt(std::string(above));
    if (!lookup.status) continue;
    const auto [first, last] = grants.equal_range(KeyOf(*lookup.status));
    for (auto grant = first; grant != last; ++grant) {
      const ExaminedEntry& alias = *grant->second;
      if (alias.walked.path == above || alias.access == entry.access) continue;
      repeated.push_back(Under(entry, above, alias.walked.path));
    }
  }
}

// `rule`: of earlier entries, for the path of `added`; nullptr: none.
bool Yields(const ExaminedEntry& added, const PathRule* rule) {
  if (rule == nullptr) return false;
  return rule->access != Access::kReadOnly || rule->path == added.walked.path;
}

}  // namespace

void YieldToPolicy(std::vector<ExaminedEntry>& entries) {
  const auto of_profiles = std::stable_partition(
      entries.begin(), entries.end(), [](const ExaminedEntry& entry) { return !IsOfProfile(entry.pointer); });
  std::vector<ExaminedEntry> added(std::make_move_iterator(of_profiles),
                                   std::make_move_iterator(entries.end()));
  entries.erase(of_profiles, entries.end());
  // A profile does not narrow what another lets the command write either.
  std::stable_partition(added.begin(), added.end(),
                        [](const ExaminedEntry& entry) { return entry.wanted == Access::kReadWrite; });
  RuleSet rules = RulesOf(entries);
  for (ExaminedEntry& entry : added) {
    if (Yields(entry, rules.Covering(entry.walked.path))) continue;
    rules.Add({.path = entry.walked.path, .access = entry.access});
    entries.push_back(std::move(entry));
  }
}

void TightenAliases(std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings) {
  std::map<ObjectKey, const ExaminedEntry*> strictest;
  for (const ExaminedEntry& entry : entries) {
    if (!entry.walked.status) continue;
    const ExaminedEntry*& best = strictest.try_emplace(KeyOf(*entry.walked.status), &entry).first->second;
    if (best->wanted != entry.wanted && Stricter(best->wanted, entry.wanted) == entry.wanted) best = &entry;
  }
  for (ExaminedEntry& entry : entries) {
    if (!entry.walked.status) continue;
    const ExaminedEntry& best = *strictest.at(KeyOf(*entry.walked.status));
    if (best.wanted == entry.wanted) continue;
    entry.access = best.wanted;
    warnings.push_back({.category = "tightened",
                        .message = Quoted(entry.walked.path) + " of " + std::string(ListName(entry.wanted)) +
                                   " is " + std::string(Name(entry.access)) + ": " + best.pointer +
                                   " names the same object",
                        .pointer = entry.pointer});
  }
}

void RepeatUnderAliases(std::vector<ExaminedEntry>& entries, PathWalker& walker) {
  GrantsByObject grants;
  for (const ExaminedEntry& entry : entries) {
    if (entry.access == Access::kDenied || !entry.walked.Is(FileType::kDirectory)) continue;
    grants.emplace(KeyOf(*entry.walked.status), &entry);
  }
  std::vector<ExaminedEntry> repeated;
  for (const ExaminedEntry& entry : entries) {
    if (entry.access != Access::kReadWrite) Repeat(entry, grants, walker, repeated);
  }
  for (ExaminedEntry& entry : repeated) entries.push_back(std::move(entry));
}

RuleSet RulesOf(const std::vector<ExaminedEntry>& entries) {
  RuleSet rules;
  // Strictest list first, so that of several entries for one path the strictest gives the pointer.
  for (const Access list : {Access::kDenied, Access::kReadOnly, Access::kReadWrite}) {
    for (const ExaminedEntry& entry : entries) {
      if (entry.wanted != list) continue;
      PathRule rule{.path = entry.walked.path,
                    .access = entry.access,
                    .first_missing = entry.walked.first_missing,
                    .pointer = entry.pointer};
      if (entry.walked.status) rule.object = entry.walked.status->object;
      if (entry.walked.look_alike) rule.look_alike = entry.walked.look_alike->object;
      rules.Add(std::move(rule));
    }
  }
  return rules;
}

Status CheckLinks(const std::vector<ExaminedEntry>& entries, const RuleSet& rules,
                  std::vector<Warning>& warnings) {
  for (const ExaminedEntry& entry : entries) {
    const bool narrows = entry.wanted == Access::kReadOnly && InsideReadWrite(rules, entry.walked.path);
    if (entry.planted && !narrows) return *entry.planted;
    for (const LinkMet& met : entry.walked.links) {
      const bool roots = entry.wanted == Access::kReadWrite && IsRootsAlone(met);
      if (roots || !InsideReadWrite(rules, met.link.path)) continue;
      const std::string where =
          " leads through " + Quoted(met.link.path) + ", a link in a read-write directory";
      if (entry.wanted != Access::kDenied) {
        return Conflict(std::string(Name(entry.wanted)) + " " + Quoted(entry.walked.path) + where,
                        entry.pointer, "write the real path, " + Quoted(entry.walked.path));
      }
      warnings.push_back({.category = "link-replaceable",
                          .message = "the denial of " + Quoted(entry.walked.path) + where +
                                     ": a later run would follow it elsewhere; deny the real path as well",
                          .pointer = entry.pointer});
    }
  }
  return Done{};
}

void WarnOfSingleFiles(const std::vector<ExaminedEntry>& entries, const RuleSet& rules,
                       std::vector<Warning>& warnings) {
  for (const ExaminedEntry& entry : entries) {
    if (entry.access != Access::kReadWrite || !entry.walked.Is(FileType::kRegular)) continue;
    if (InsideReadWrite(rules, entry.walked.path)) continue;
    warnings.push_back(
        {.category = "single-file",
         .message = Quoted(entry.walked.path) +
                    " is read-write by itself: programs that save by renaming a new file over it "
                    "fail with EBUSY; grant its directory for those",
         .pointer = entry.pointer});
  }
}

void WarnOfOwnNodes(const std::vector<ExaminedEntry>& entries, std::vector<Warning>& warnings) {
  for (const ExaminedEntry& entry : entries) {
    const std::string& path = entry.walked.path;
    if (entry.wanted != Access::kDenied || !IsOwnNode(path)) continue;
    warnings.push_back({.category = "own-node",
                        .message = Quoted(path) +
                                   " is denied, and the host's is not visible: the sandbox has " + path +
                                   " of its own, which stays",
                        .pointer = entry.pointer});
  }
}

void AddLinks(const std::vector<ExaminedEntry>& entries, const RuleSet& rules, std::vector<PathLink>& links) {
  std::unordered_set<std::string> known;
  for (const PathLink& link : links) known.insert(link.path);
  for (const ExaminedEntry& entry : entries) {
    if (entry.access == Access::kDenied) continue;
    for (const LinkMet& met : entry.walked.links) {
      if (rules.Visible(ParentOf(met.link.path))) continue;
      if (known.insert(met.link.path).second) links.push_back(met.link);
    }
  }
}

}  // namespace mxc
