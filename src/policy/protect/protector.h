// Adds the rules for one protected path at a time, and reports paths that cannot be held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "mxc/git_snapshot.h"
#include "policy/paths/mount_names.h"
#include "policy/protect/protect.h"

namespace mxc {

class Protector {
 public:
  // `homes`: the caller's, in which missing directories are held as well.
  Protector(const Host& host, const MountNames& names, PathWalker& walker, RuleSet& rules,
            std::vector<std::string> homes, std::vector<Warning>& warnings)
      : host_(host),
        names_(names),
        walker_(walker),
        rules_(rules),
        homes_(std::move(homes)),
        warnings_(warnings) {}

  // All that follows belongs to this preset.
  void Begin(const PresetEntry& preset) {
    preset_ = preset;
    From("");
  }
  // All that follows is mxc-exec's own state. It is held like the preset `git`, missing names included.
  void BeginOwnState(std::string pointer) { Begin({.preset = Preset::kGit, .pointer = std::move(pointer)}); }
  // All that follows is protected because of this git directory; "" for none.
  void From(std::string git_directory) {
    from_ = std::move(git_directory);
    count_from_ = 0;
  }
  // Takes back grants of protected paths, or of parts of them, if the preset is required; else warns of them.
  // Holds mounts in grants that show a part of a path protected elsewhere, and missing directories of held
  // names. Warns of names that are not held. Errors: kConflict for an object with more names than limits.h
  // allows.
  [[nodiscard]] Status End();

  // Protects the target of `path`, in any grant that contains or, through a mount, shows it. Paths that the
  // command cannot write are not held; End handles grants below them. A link itself can be replaced: see
  // WatchLink.
  void Protect(const std::string& path, WhenMissing missing, std::string_view text = {});
  void ProtectRows(std::string_view directory, std::span<const ProtectedRow> rows);
  // Nothing can be mounted on a link, so it is compared when the run has ended.
  void WatchLink(const std::string& link);
  // Denies another user's git directory, which the caller cannot read, as a whole. False: the policy has an
  // entry for it.
  [[nodiscard]] bool Deny(const std::string& path, const FileObject& object);
  // The object at `path` keeps its name, and stays writable.
  void Pin(const std::string& path);
  void Warn(std::string category, std::string message) const {
    warnings_.push_back(
        {.category = std::move(category), .message = std::move(message), .pointer = preset_.pointer});
  }

  // Grants that required presets have taken back.
  [[nodiscard]] const std::vector<TakenGrant>& Taken() const { return taken_; }

  // Adds to the number of rules of CheckCount.
  void Count(std::size_t others) { count_ += others; }
  // Errors: kConflict for more rules than limits.h allows; names a git directory that causes many.
  [[nodiscard]] Status CheckCount(const std::string& pointer) const;
  [[nodiscard]] bool Writable(std::string_view path) const;
  [[nodiscard]] const std::string& From() const { return from_; }
  [[nodiscard]] const std::string& Pointer() const { return preset_.pointer; }
  [[nodiscard]] PathWalker& Walker() const { return walker_; }
  [[nodiscard]] const Host& TheHost() const { return host_; }
  [[nodiscard]] const RuleSet& Rules() const { return rules_; }
  // Read-write entries of the policy.
  [[nodiscard]] std::vector<std::string> Grants() const;
  // Links that are protected, but can be replaced.
  [[nodiscard]] const std::vector<GitSnapshot::Text>& Links() const { return links_; }
  // Missing names that are not held.
  [[nodiscard]] const std::vector<std::string>& LeftOpen() const { return left_open_; }
  // Protects the other names of protected files in the grants, because a write by another name changes the
  // file. Call it between Begin and End. Errors: kConflict if the search exceeds its bounds.
  [[nodiscard]] Status HoldOtherNames();

 private:
  void ProtectHere(const std::string& path, const std::optional<FileStatus>& status, WhenMissing missing,
                   std::string_view text);
  // `path` is in no grant.
  void ProtectElsewhere(const std::string& path, const std::optional<FileStatus>& status, WhenMissing missing,
                        std::string_view text);
  void ProtectMounts();
  void NoteOtherNames(const std::string& path, const FileStatus& status);
  void NoteFilesBelow(const std::string& directory);
  [[nodiscard]] std::vector<std::string> OthersOf(const std::string& path);
  [[nodiscard]] bool TakeGrant(const std::string& path);
  void JudgeGrantsBelow();
  [[nodiscard]] bool IsPartOfProtected(const std::string& grant) const;
  void WarnOfEntry(const std::string& path);
  void ProtectExisting(const std::string& path, const FileStatus& status);
  void HoldName(const std::string& path, WhenMissing missing, std::string_view text);
  [[nodiscard]] bool IsHome(std::string_view path) const;
  [[nodiscard]] bool HoldWay(const std::string& directory);
  void HoldClosed(const std::string& directory, const FileStatus& status, const std::string& path);
  void Add(PathRule rule, Access access = Access::kReadOnly);

  const Host& host_;
  const MountNames& names_;
  PathWalker& walker_;
  RuleSet& rules_;
  std::vector<std::string> homes_;
  std::vector<Warning>& warnings_;
  PresetEntry preset_ = {};
  std::size_t count_ = 0;  // of the rules so far
  std::string from_ = {};
  std::size_t count_from_ = 0;
  std::string most_from_ = {};
  std::size_t most_count_ = 0;
  std::vector<std::string> open_ = {};  // names that are not held
  std::vector<std::string> left_open_ = {};
  std::set<std::string> ways_ = {};  // missing directories above names that are held
  std::vector<GitSnapshot::Text> links_ = {};
  std::set<std::string> watched_ = {};  // of those
  std::set<std::string> overridden_ = {};
  std::unordered_set<std::string> asked_ = {};  // until End: all protected paths, in grants or not
  std::vector<TakenGrant> taken_ = {};
  // Protected files with several names, by device and inode.
  struct SharedFile {
    std::uint64_t links = 0;
    std::set<std::pair<std::uint64_t, std::string>> names =
        {};                 // known: inode of the directory, and the name in it
    bool searched = false;  // for the others
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, SharedFile> shared_ = {};
  std::string unsearched_ = {};           // why some may be missing
  std::set<std::string> elsewhere_ = {};  // protected, and in no grant
  std::string too_many_names_ = {};       // an object with too many names
};

}  // namespace mxc
