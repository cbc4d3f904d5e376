#include "policy/protect/protector.h"

#include <algorithm>
#include <utility>

#include "mxc/limits.h"
#include "mxc/plan.h"
#include "policy/paths/entries.h"
#include "policy/paths/own_rules.h"
#include "policy/paths/search.h"

namespace mxc {

bool Protector::Writable(std::string_view path) const {
  const PathRule* rule = rules_.Covering(path);
  return rule != nullptr && rule->access == Access::kReadWrite;
}

void Protector::Add(PathRule rule, Access access) {
  rule.access = access;
  rule.origin = Origin::kProtection;
  rule.pointer = preset_.pointer;
  if (!rules_.Add(std::move(rule))) return;
  ++count_;
  if (from_.empty() || ++count_from_ <= most_count_) return;
  most_count_ = count_from_;
  most_from_ = from_;
}

// For a required preset: takes the write access of an entry of the policy for exactly this path. It stays
// readable.
bool Protector::TakeGrant(const std::string& path) {
  const PathRule* const found = rules_.Find(path);
  if (!preset_.required || found == nullptr || found->origin != Origin::kPolicy ||
      found->access != Access::kReadWrite)
    return false;
  PathRule rule = *found;
  taken_.push_back({.preset = preset_.preset, .path = path, .pointer = rule.pointer});
  rules_.Remove(path);
  if (Writable(path)) return true;  // by a grant above: the caller protects it there
  rule.access = Access::kReadOnly;
  rules_.Add(std::move(rule));
  return true;
}

std::vector<std::string> Protector::Grants() const {
  std::vector<std::string> grants = rules_.PathsWith(Access::kReadWrite);
  std::erase_if(grants,
                [this](const std::string& path) { return rules_.Find(path)->origin != Origin::kPolicy; });
  return grants;
}

// A mount may show only a part of it.
bool Protector::IsPartOfProtected(const std::string& grant) const {
  const auto is_part = [this](std::string_view at) {
    for (; at != "/"; at = ParentOf(at)) {
      if (asked_.contains(std::string(at))) return true;
    }
    return false;
  };
  if (is_part(grant)) return true;
  if (!names_.Any()) return false;
  const std::vector<std::string> others = names_.OthersOf(grant).value_or(std::vector<std::string>{});
  return std::any_of(others.begin(), others.end(), is_part);
}

void Protector::JudgeGrantsBelow() {
  for (const std::string& path : Grants()) {
    if (!IsPartOfProtected(path)) continue;
    if (!preset_.required) {
      WarnOfEntry(path);
    } else if (TakeGrant(path) && Writable(path)) {
      Protect(path, WhenMissing::kLeft);
    }
  }
  asked_.clear();
}

void Protector::WarnOfEntry(const std::string& path) {
  if (!overridden_.insert(path).second) return;
  Warn("protection-overridden", Quoted(path) + " is read-write by an entry of its own, although `" +
                                    std::string(Name(preset_.preset)) + "` would protect it");
}

bool Protector::Deny(const std::string& path, const FileObject& object) {
  if (TakeGrant(path)) rules_.Remove(path);
  if (!rules_.Add({.path = path, .access = Access::kDenied, .object = object})) return false;
  Warn("git-directory-hidden",
       Quoted(path) + " belongs to another user, who keeps its configuration from this one: it is denied");
  return true;
}

Status Protector::CheckCount(const std::string& pointer) const {
  if (count_ <= kMaxProtectedPaths) return Done{};
  std::string message = "the read-write grants hold " + std::to_string(count_) +
                        " protected paths, more than the " + std::to_string(kMaxProtectedPaths) +
                        " there may be";
  constexpr std::size_t kWorthNaming = 10;  // a tenth of them
  if (most_count_ > count_ / kWorthNaming) {
    message += "; " + Quoted(most_from_) + " causes " + std::to_string(most_count_);
  } else {
    const std::vector<PathRule>& rules = rules_.All();
    const auto last = std::find_if(rules.rbegin(), rules.rend(),
                                   [](const PathRule& rule) { return rule.origin == Origin::kProtection; });
    if (last != rules.rend()) message += ", " + Quoted(last->path) + " for instance";
  }
  return Conflict(
      std::move(message), pointer,
      "remove what earlier runs have left there (repositories, directories of editors and "
      "agents), name the repositories that you work in (`filesystem.repositories`), or grant less");
}

// NOLINTNEXTLINE(misc-no-recursion): up to the root, of paths of kMaxWalkedBytes
void Protector::Protect(const std::string& path, WhenMissing missing, std::string_view text) {
  const Result<Walked> walked = walker_.Walk(path);
  // Its owner could make an unreachable directory accessible, so the nearest reachable parent is held.
  if (!walked) {
    const std::string_view known = std::string_view(path).substr(0, kMaxWalkedBytes);
    return path == "/" ? void() : Protect(std::string(ParentOf(known)), WhenMissing::kLeft);
  }
  for (const LinkMet& met : walked->links) WatchLink(met.link.path);
  if (walked->behind_file) return Protect(std::string(ParentOf(walked->first_missing)), WhenMissing::kLeft);
  // The target of a dangling link is held, because a program looks it up.
  const bool left = missing == WhenMissing::kLeft || missing == WhenMissing::kHomeDirectory;
  const WhenMissing wanted = left && !walked->links.empty() ? WhenMissing::kDirectory : missing;
  ProtectHere(walked->path, walked->status, wanted, text);
}

// NOLINTNEXTLINE(misc-no-recursion): each path once: elsewhere_
void Protector::ProtectHere(const std::string& path, const std::optional<FileStatus>& status,
                            WhenMissing missing, std::string_view text) {
  asked_.insert(path);
  if (TakeGrant(path) && status) NoteOtherNames(path, *status);
  if (!Writable(path)) return ProtectElsewhere(path, status, missing, text);
  if (const PathRule* rule = rules_.Find(path); rule != nullptr) {
    if (rule->origin != Origin::kProtection) WarnOfEntry(path);
  } else if (!status) {
    HoldName(path, missing, text);
  } else {
    ProtectExisting(path, *status);
  }
}

std::vector<std::string> Protector::OthersOf(const std::string& path) {
  std::optional<std::vector<std::string>> others = names_.OthersOf(path);
  if (!others) too_many_names_ = path;
  return others ? std::move(*others) : std::vector<std::string>{};
}

// NOLINTNEXTLINE(misc-no-recursion): the same
void Protector::ProtectElsewhere(const std::string& path, const std::optional<FileStatus>& status,
                                 WhenMissing missing, std::string_view text) {
  if (status) NoteOtherNames(path, *status);
  if (!names_.Any() || !elsewhere_.insert(path).second) return;
  for (const std::string& name : OthersOf(path)) {
    asked_.insert(name);
    if (Writable(name)) ProtectHere(name, walker_.LookAt(name).status, missing, text);
  }
}

void Protector::ProtectMounts() {
  const auto shows_part = [this](std::string_view name) {
    for (; name != "/"; name = ParentOf(name)) {
      if (elsewhere_.contains(std::string(name))) return true;
    }
    return false;
  };
  for (const Mount* mount : names_.Visible()) {
    if (elsewhere_.empty() || !Writable(mount->path)) continue;
    const std::vector<std::string> others = OthersOf(mount->path);
    if (std::any_of(others.begin(), others.end(), shows_part))
      ProtectHere(mount->path, walker_.LookAt(mount->path).status, WhenMissing::kLeft, {});
  }
  elsewhere_.clear();
}

void Protector::ProtectRows(std::string_view directory, std::span<const ProtectedRow> rows) {
  for (const ProtectedRow& row : rows) Protect(JoinPath(directory, row.path), row.missing, row.text);
}

void Protector::WatchLink(const std::string& link) {
  if (!Writable(link) || !watched_.insert(link).second) return;
  Warn("link-replaceable", Quoted(link) + " is protected, but a link: the command could replace it");
  const Result<std::string> text = host_.ReadLink(link);
  const Lookup& lookup = walker_.LookAt(link);
  if (text) links_.push_back({.path = link, .text = *text, .stamp = StampOf(lookup)});
}

void Protector::ProtectExisting(const std::string& path, const FileStatus& status) {
  NoteOtherNames(path, status);
  // git's files are protected one by one.
  if (status.object.type == FileType::kDirectory && preset_.preset != Preset::kGit) NoteFilesBelow(path);
  Add({.path = path, .object = status.object});
}

// Notes a file that the caller could write by another name in a grant. Two mounts may show one name twice, so
// names count by the directory's inode.
void Protector::NoteOtherNames(const std::string& path, const FileStatus& status) {
  constexpr std::uint32_t kWritableByOthers = 022;
  const Identity caller = host_.Caller();
  const bool writer = caller.IsRoot() || status.uid == caller.uid || (status.mode & kWritableByOthers) != 0;
  if (!writer || status.object.type != FileType::kRegular || status.links < 2) return;
  const Lookup& directory = walker_.LookAt(std::string(ParentOf(path)));
  SharedFile& file = shared_[{status.object.device, status.object.inode}];
  file.links = status.links;
  if (directory.status) file.names.emplace(directory.status->object.inode, path.substr(path.rfind('/')));
}

// If the directory cannot be searched, HoldOtherNames refuses.
void Protector::NoteFilesBelow(const std::string& directory) {
  TreeSearch search(host_, {});
  search.Run({directory}, [&](const std::string& place, std::vector<DirectoryEntry>& entries) {
    for (const DirectoryEntry& entry : entries) {
      if (entry.type != FileType::kRegular) continue;
      const std::string path = JoinPath(place, entry.name);
      if (const Lookup lookup = host_.LookAt(path); lookup.status) NoteOtherNames(path, *lookup.status);
    }
  });
  if (unsearched_.empty()) unsearched_ = search.Gap();
}

// Searches every writable directory. Directories that cannot be searched may hold more names, so they are
// held.
Status Protector::HoldOtherNames() {
  const auto hides = [](const auto& entry) {
    return !entry.second.searched && entry.second.names.size() < entry.second.links;
  };
  if (unsearched_.empty() && std::none_of(shared_.begin(), shared_.end(), hides)) return Done{};
  const auto is_shared = [this](const Lookup& lookup) {
    return lookup.status && lookup.status->links > 1 &&
           shared_.contains({lookup.status->object.device, lookup.status->object.inode});
  };
  std::vector<std::string> roots;
  std::vector<std::string> names;
  for (std::string& path : rules_.PathsWith(Access::kReadWrite)) {
    const Lookup& lookup = walker_.LookAt(path);
    if (lookup.Is(FileType::kDirectory)) {
      roots.push_back(std::move(path));
    } else if (is_shared(lookup)) {
      names.push_back(std::move(path));
    }
  }
  TreeSearch search(host_, {});
  const OwnRules own_rules(rules_);
  search.Run(std::move(roots), [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    for (const DirectoryEntry& entry : entries) {
      if (entry.type != FileType::kRegular) continue;
      std::string path = JoinPath(directory, entry.name);
      const Lookup lookup = host_.LookAt(path);
      if (is_shared(lookup)) names.push_back(std::move(path));
    }
    own_rules.TakeOut(directory, entries);
  });
  for (auto& [object, file] : shared_) file.searched = true;
  for (std::string& directory : search.Unsearched()) names.push_back(std::move(directory));
  for (const std::string& name : names) Protect(name, WhenMissing::kLeft);
  const std::string& gap = unsearched_.empty() ? search.Gap() : unsearched_;
  if (gap.empty()) return Done{};
  return Conflict("the search for other names of protected files did not come to its end: " + gap,
                  preset_.pointer, "give each file one name: `cp -p FILE NEW && mv NEW FILE`");
}

void Protector::Pin(const std::string& path) {
  if (!Writable(path) || rules_.Find(path) != nullptr) return;
  const Lookup& lookup = walker_.LookAt(path);
  if (!lookup.status) return;
  if (lookup.Is(FileType::kSymlink)) return WatchLink(path);
  Add({.path = path, .object = lookup.status->object}, Access::kReadWrite);
}

// A name is held in an existing directory. Missing ones get a writable stand-in, so that only the name itself
// is taken.
// NOLINTNEXTLINE(misc-no-recursion): up to the root
bool Protector::HoldWay(const std::string& directory) {
  const Lookup& lookup = walker_.LookAt(directory);
  if (!lookup.status) {
    if (lookup.failure != LookupFailure::kMissing || !HoldWay(std::string(ParentOf(directory)))) return false;
    ways_.insert(directory);
    return true;
  }
  if (!lookup.Is(FileType::kDirectory)) return false;
  // A directory with a rule needs no stand-in. Another run's stand-in stays until the last run that holds it
  // ends.
  if (rules_.Find(directory) != nullptr) return true;
  const bool placeholder_kind = lookup.status->mode == kPlaceholderDirectoryMode;
  if (placeholder_kind && Writable(directory) && HoldWay(std::string(ParentOf(directory))))
    ways_.insert(directory);
  return true;
}

// Holds the directory itself if the caller owns it and so could make it writable; others cannot create files
// in it.
void Protector::HoldClosed(const std::string& directory, const FileStatus& status, const std::string& path) {
  if (status.uid != host_.Caller().uid) return;
  (void)TakeGrant(directory);
  if (preset_.preset != Preset::kGit || rules_.Find(directory) != nullptr) return open_.push_back(path);
  ProtectExisting(directory, status);
}

bool Protector::IsHome(std::string_view path) const {
  return std::find(homes_.begin(), homes_.end(), path) != homes_.end();
}

// NOLINTNEXTLINE(misc-no-recursion): once, of a name farther up or for another kind
void Protector::HoldName(const std::string& path, WhenMissing missing, std::string_view text) {
  if (!Writable(path) || rules_.Find(path) != nullptr) return;
  if (missing == WhenMissing::kHomeDirectory) {
    if (IsHome(ParentOf(path))) HoldName(path, WhenMissing::kDirectory, text);
    return;
  }
  // An ordinary repository lacks most of these names, so for git they are not reported.
  if (missing == WhenMissing::kLeft) {
    if (preset_.preset != Preset::kGit) open_.push_back(path);
    return;
  }
  const Result<Walked> walked = walker_.Walk(path);
  const std::string missing_from = walked && !walked->first_missing.empty() ? walked->first_missing : path;
  std::string above{ParentOf(missing_from)};
  while (!walker_.LookAt(above).status && above != "/") above = ParentOf(above);
  // Each missing directory above it would be held; for a very deep name the first suffices.
  constexpr std::ptrdiff_t kMostLevels = 64;
  if (std::count(path.begin() + static_cast<std::ptrdiff_t>(above.size()), path.end(), '/') > kMostLevels)
    return HoldName(missing_from, WhenMissing::kDirectory, "");
  // Other presets do not create directories in every project.
  const bool in_home = IsHome(above);
  if (above != ParentOf(path) && preset_.preset != Preset::kGit && !in_home) return open_.push_back(path);
  // An empty file would get into a commit, and no program reads a start-up file at the top of a work tree.
  const bool in_tree = walker_.LookAt(JoinPath(above, ".git")).status.has_value();
  if (missing == WhenMissing::kFile && preset_.preset != Preset::kGit && in_tree && !in_home)
    return open_.push_back(path);
  const Lookup& nearest = walker_.LookAt(above);
  if (nearest.status && !host_.MayAccess(above, Access::kReadWrite))
    return HoldClosed(above, *nearest.status, path);
  if (!HoldWay(std::string(ParentOf(path)))) return open_.push_back(path);
  if (preset_.preset == Preset::kGit && path.ends_with(".lock")) {
    Warn("git-lock-held", Quoted(path) + " is held during the run, because " + Quoted(From()) +
                              " has git run or read it: while it is there, git writes nothing that it locks. "
                              "Remove what names it if an earlier run has left that");
  }
  const bool directory = missing == WhenMissing::kDirectory;
  Add({.path = path,
       .placeholder_kind = PlaceholderKind{.type = directory ? FileType::kDirectory : FileType::kRegular,
                                           .text = std::string(text)}});
}

Status Protector::End() {
  JudgeGrantsBelow();
  ProtectMounts();
  if (!too_many_names_.empty()) {
    return Conflict(Quoted(too_many_names_) + " has more than " + std::to_string(kMaxSecondNames) +
                        " names through mounts",
                    preset_.pointer, "unmount some of them, or grant less");
  }
  for (const std::string& way : ways_)
    Add({.path = way, .placeholder_kind = PlaceholderKind{.type = FileType::kDirectory}}, Access::kReadWrite);
  ways_.clear();
  if (open_.empty()) return Done{};
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(open_.size(), kNamed); ++i) {
    names += (i == 0 ? "" : ", ") + Quoted(open_[i]);
  }
  if (open_.size() > kNamed) names += " and " + std::to_string(open_.size() - kNamed) + " more";
  Warn("protection-open",
       "`" + std::string(Name(preset_.preset)) + "` protects what exists; the command could create " + names);
  left_open_.insert(left_open_.end(), open_.begin(), open_.end());
  open_.clear();
  return Done{};
}

}  // namespace mxc
