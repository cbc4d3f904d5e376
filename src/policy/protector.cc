#include "policy/protector.h"

#include <algorithm>
#include <utility>

#include "mxc/plan.h"

namespace mxc {

bool Protector::Writable(std::string_view path) const {
  const PathRule* rule = rules_.Covering(path);
  return rule != nullptr && rule->access == Access::kReadWrite;
}

void Protector::Add(PathRule rule) {
  rule.access = Access::kReadOnly;
  rule.origin = Origin::kProtection;
  rule.pointer = preset_.pointer;
  if (rules_.Add(std::move(rule))) ++count_;
}

void Protector::Protect(const std::string& path, WhenMissing missing, std::string_view text) {
  if (!Writable(path)) return;
  if (rules_.Find(path) != nullptr) {
    Warn("protection-overridden", Quoted(path) + " is read-write by an entry of its own, although `" +
                                      std::string(Name(preset_.preset)) + "` would protect it");
    return;
  }
  const Lookup& lookup = walker_.LookAt(path);
  if (!lookup.status) {
    if (lookup.failure == LookupFailure::kMissing) HoldName(path, missing, text);
  } else if (IsStandIn(path, *lookup.status, missing, text)) {
    HoldName(path, missing, text);
  } else if (lookup.status->object.type == FileType::kSymlink) {
    ProtectTarget(path);
  } else {
    ProtectExisting(path, *lookup.status);
  }
}

void Protector::ProtectRows(std::string_view directory, std::span<const ProtectedRow> rows) {
  for (const ProtectedRow& row : rows) Protect(JoinPath(directory, row.path), row.missing, row.text);
}

// Nothing can be mounted on a link, so the link itself can be turned; what it leads to now is held.
void Protector::ProtectTarget(const std::string& link) {
  Warn("link-replaceable", Quoted(link) + " is protected, but a link: the command could replace it");
  const Result<Walked> walked = walker_.Walk(link);
  if (!walked || !walked->status || !Writable(walked->path)) return;
  if (rules_.Find(walked->path) == nullptr) ProtectExisting(walked->path, *walked->status);
}

void Protector::ProtectExisting(const std::string& path, const FileStatus& status) {
  if (status.object.type == FileType::kRegular && status.links > 1) {
    Warn("hard-link",
         Quoted(path) + " has " + std::to_string(status.links) + " names: the protection holds for this one");
  }
  Add({.path = path, .object = status.object});
}

void Protector::HoldName(const std::string& path, WhenMissing missing, std::string_view text) {
  // An ordinary repository lacks most of what may be left open, and git can do without.
  if (missing == WhenMissing::kLeft) {
    if (preset_.preset != Preset::kGit) open_.push_back(path);
    return;
  }
  const std::string directory_above{ParentOf(path)};
  const Lookup& above = walker_.LookAt(directory_above);
  if (!above.status || above.status->object.type != FileType::kDirectory) {
    open_.push_back(path);
    return;
  }
  if (!host_.MayAccess(directory_above, Access::kReadWrite)) {
    // The owner could give the right to write; anybody else cannot create it either.
    if (above.status->uid == host_.Caller().uid) open_.push_back(path);
    return;
  }
  const bool directory = missing == WhenMissing::kDirectory;
  Add({.path = path,
       .stand_in = StandIn{.type = directory ? FileType::kDirectory : FileType::kRegular,
                           .text = std::string(text)}});
}

bool Protector::IsStandIn(const std::string& path, const FileStatus& status, WhenMissing missing,
                          std::string_view text) const {
  if (missing == WhenMissing::kLeft || status.uid != host_.Caller().uid) return false;
  if (missing == WhenMissing::kDirectory) {
    if (status.object.type != FileType::kDirectory || status.mode != kStandInDirectoryMode) return false;
    const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(path);
    return entries && entries->empty();
  }
  if (status.object.type != FileType::kRegular || status.mode != kStandInFileMode) return false;
  const Result<std::string> found = host_.ReadFile(path, text.size() + 1);
  return found && *found == text;
}

void Protector::End() {
  if (open_.empty()) return;
  constexpr std::size_t kNamed = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(open_.size(), kNamed); ++i) {
    names += (i == 0 ? "" : ", ") + Quoted(open_[i]);
  }
  if (open_.size() > kNamed) names += " and " + std::to_string(open_.size() - kNamed) + " more";
  Warn("protection-open",
       "`" + std::string(Name(preset_.preset)) + "` protects what exists; the command could create " + names);
  open_.clear();
}

}  // namespace mxc
