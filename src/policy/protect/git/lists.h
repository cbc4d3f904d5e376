// Reviews kGitLists of layout.h: files that name paths which git reads, writes or deletes without a check.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/paths/paths.h"
#include "policy/protect/git/places.h"
#include "policy/protect/git/review_host.h"

namespace mxc {

// `in`: the directory of the file in the git directory; "" for its top, else with a leading slash.
[[nodiscard]] bool IsGitList(std::string_view in, std::string_view name);
// The description by which such a file is compared: its own text, or that of its `gitdir`.
[[nodiscard]] GitSnapshot::Text DescribeGitList(const std::string& path, const Host& host);

// Whether it names a ref below refs/ that git's check_refname_format allows: prompts show it in a terminal.
[[nodiscard]] bool IsRefName(std::string_view name);
// Whether a ref is a hash, or names another ref below refs/. Any other name is one of git's own files (`ref:
// commondir`), to which git would write the ref's value.
[[nodiscard]] bool NamesARef(std::string_view text);
[[nodiscard]] bool LeadsToRefs(const std::string& ref, const Host& host);

// Whether every pack that it names is a file beside it.
[[nodiscard]] bool NamesPacksBeside(std::string_view multi_pack_index);
// The paths of a MERGE_RR. Absent: it is damaged.
[[nodiscard]] std::optional<std::vector<std::string>> ConflictedPaths(std::string_view text);

class GitListJudge {
 public:
  // Borrows `before` and `host`. `directories`: the repositories whose own data is reviewed.
  GitListJudge(const GitSnapshot& before, const std::vector<GitDirectory>& directories, const Host& host);

  // Whether it names only files that the command could write itself, or is unchanged.
  [[nodiscard]] bool IsTrustworthy(const GitSnapshot::Text& list);
  // Empty if a file that names one cannot be read.
  [[nodiscard]] std::vector<std::string> WorkTreesOf(const std::string& git_directory);

 private:
  [[nodiscard]] bool WasThere(const GitSnapshot::Text& list) const;
  [[nodiscard]] bool ThroughLinks(const Walked& walked) const;
  [[nodiscard]] bool IsPlainFileOf(const std::string& tree, std::string_view path) const;
  [[nodiscard]] bool NamesConflicts(const GitSnapshot::Text& list);
  [[nodiscard]] bool IsPlainStore(const std::string& store) const;
  [[nodiscard]] bool NamesObjects(const GitSnapshot::Text& list);
  [[nodiscard]] bool MayBeRelative(const std::string& git_directory);
  [[nodiscard]] bool NamesWorkTree(const GitSnapshot::Text& entry);

  const GitSnapshot& before_;
  const Host& host_;
  PathWalker walker_;
  Reach reach_;
  std::unordered_set<std::string> stores_ = {};  // of objects, in repositories
};

}  // namespace mxc
