#include "ceiling/ceiling_paths.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "policy/paths/baseline.h"
#include "policy/paths/glob.h"
#include "policy/paths/mounts.h"

namespace mxc {
namespace {

Error NotResolved(const Error& error) {
  return Conflict("the ceiling of this machine cannot be resolved: " + error.message + " (" +
                      kCeilingPointer + error.pointer + ")",
                  {}, "ask its operator");
}

Result<std::vector<Mount>> MountsHere(const Host& host) {
  if (host.System() != OperatingSystem::kLinux || MountsAreHidden(host)) return std::vector<Mount>{};
  return ReadMounts(host);
}

}  // namespace

void CeilingPaths::AddGrant(const PathEntry& written, Access access, const Host& host, PathWalker& walker) {
  Result<Walked> walked = walker.Walk(written.path);
  if (!walked || !walked->status || walked->folded_missing || IsNeverFromHost(walked->path)) return;
  const Status links =
      CheckGrantedLinks(written, "the ceiling's " + Quoted(written.path), *walked, host, walker);
  std::vector<ExaminedEntry>& entries = links ? entries_ : planted_;
  entries.push_back(
      {.wanted = access, .access = access, .pointer = written.pointer, .walked = std::move(*walked)});
}

// Adds the entries whose paths lead through a link that another user may have put there, as far as they
// narrow access.
void CeilingPaths::AddPlanted() {
  rules_ = RulesOf(entries_);
  for (ExaminedEntry& entry : planted_) {
    const PathRule* const around = rules_.Covering(entry.walked.path);
    const bool closes = around != nullptr && Stricter(entry.access, around->access) != around->access;
    if (closes) entries_.push_back(std::move(entry));
  }
  rules_ = RulesOf(entries_);
}

Status CeilingPaths::AddGrants(const std::vector<PathEntry>& written, Access access, const Host& host,
                               PathWalker& walker) {
  for (const PathEntry& entry : written) {
    if (!IsGlob(entry.path)) {
      AddGrant(entry, access, host, walker);
      continue;
    }
    const Result<std::vector<GlobMatch>> matches = ExpandGlob(entry.path, GlobLinks::kLeave, host);
    if (!matches) return matches.error();
    for (const GlobMatch& match : *matches) {
      // A pattern grants files and directories, and follows no links.
      if (match.type == FileType::kRegular || match.type == FileType::kDirectory)
        AddGrant({.path = match.path, .pointer = entry.pointer}, access, host, walker);
    }
  }
  return Done{};
}

// A path that the caller cannot look up is denied as it is written; the caller could not grant it either.
Status CeilingPaths::AddDenials(const Config& bounds, const Host& host, PathWalker& walker) {
  Config denied;
  for (const PathEntry& entry : bounds.denied) {
    if (IsGlob(entry.path) || walker.Walk(entry.path)) {
      denied.denied.push_back(entry);
    } else {
      Walked folded{.path = FoldLexically(entry.path), .behind_file = true};
      entries_.push_back({.wanted = Access::kDenied,
                          .access = Access::kDenied,
                          .pointer = entry.pointer,
                          .walked = std::move(folded)});
    }
  }
  std::vector<Warning> unheard;
  Result<std::vector<ExaminedEntry>> examined = ExamineEntries(denied, host, walker, unheard);
  if (!examined) return examined.error();
  std::move(examined->begin(), examined->end(), std::back_inserter(entries_));
  return Done{};
}

CeilingVerdict CeilingPaths::Judge(const std::string& path, const std::optional<FileObject>& object) const {
  const std::optional<std::vector<std::string>> others =
      names_.Any() ? names_.OthersOf(path) : std::vector<std::string>{};
  if (!others) return {.clause = "/filesystem"};
  std::optional<CeilingVerdict> verdict;
  const auto consider = [&](Access access, const std::string& clause) {
    if (!verdict || Stricter(access, verdict->access) != verdict->access) verdict = {access, clause};
  };
  const auto consider_rule = [&](const std::string& name) {
    if (const PathRule* const rule = rules_.Covering(name)) consider(rule->access, rule->pointer);
  };
  consider_rule(path);
  for (const std::string& other : *others) consider_rule(other);
  for (const ExaminedEntry& entry : entries_) {
    if (object && entry.walked.status && entry.walked.status->object.IsSame(*object))
      consider(entry.access, entry.pointer);
  }
  if (verdict) return *verdict;
  return {.access = InBaseline(path) ? Access::kReadOnly : Access::kDenied,
          .clause = "/filesystem",
          .baseline = true};
}

bool CeilingPaths::InBaseline(const std::string& path) const {
  const auto below = [&](const std::string& row) { return IsAtOrBelow(path, row); };
  return std::any_of(baseline_.begin(), baseline_.end(), below) &&
         std::none_of(hidden_.begin(), hidden_.end(), below);
}

bool CeilingPaths::HoldsHidden(const std::string& path) const {
  return std::any_of(hidden_.begin(), hidden_.end(),
                     [&](const std::string& row) { return IsAtOrBelow(row, path); });
}

// Its entries by all their names, and mount points, which may show what it names under another path.
Status CeilingPaths::FindPlaces(PathWalker& walker) {
  std::map<std::string, Walked> places;
  std::set<std::string> names;
  for (const ExaminedEntry& entry : entries_) {
    if (!entry.walked.behind_file) places.emplace(entry.walked.path, entry.walked);
    if (!names_.Any()) continue;
    const std::optional<std::vector<std::string>> others = names_.OthersOf(entry.walked.path);
    if (!others) return Conflict(Quoted(entry.walked.path) + " has too many names", entry.pointer, "");
    names.insert(others->begin(), others->end());
  }
  for (const Mount* const mount : names_.Visible()) names.insert(mount->path);
  for (const std::string& path : names) {
    Result<Walked> walked = walker.Walk(path);
    // Left out if the caller cannot look it up, or if the path leads to another place.
    if (walked && walked->path == path && !walked->behind_file) places.emplace(path, std::move(*walked));
  }
  for (auto& [path, walked] : places) {
    if (!IsNeverFromHost(path)) places_.push_back({.path = path, .walked = std::move(walked)});
  }
  std::sort(places_.begin(), places_.end(), [](const CeilingPlace& left, const CeilingPlace& right) {
    return PathBefore(left.path, right.path);
  });
  return Done{};
}

Result<std::unique_ptr<CeilingPaths>> CeilingPaths::Resolve(const CeilingSection& section, const Host& host,
                                                            PathWalker& walker) {
  Result<std::vector<Mount>> mounts = MountsHere(host);
  if (!mounts) return NotResolved(mounts.error());
  std::unique_ptr<CeilingPaths> paths(new CeilingPaths(std::move(*mounts), walker));
  const Config& bounds = section.bounds;
  for (const Status& added : {paths->AddGrants(bounds.read_write, Access::kReadWrite, host, walker),
                              paths->AddGrants(bounds.read_only, Access::kReadOnly, host, walker),
                              paths->AddDenials(bounds, host, walker)}) {
    if (!added) return NotResolved(added.error());
  }
  paths->AddPlanted();
  const auto find = [&](std::span<const BaselineRow> rows, std::vector<std::string>& found) {
    for (const BaselineRow& row : rows) {
      const Result<Walked> walked = walker.Walk(row.path);
      if (walked && walked->status) found.push_back(walked->path);
    }
  };
  find(BaselineRows(), paths->baseline_);
  find(HiddenRows(), paths->hidden_);
  find(SecretRows(), paths->hidden_);
  if (const Status found = paths->FindPlaces(walker); !found) return NotResolved(found.error());
  return paths;
}

}  // namespace mxc
