// Files of git's that name paths, which git reads, writes or deletes without a further look: those of
// layout.h.
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

// Where such a file stands in a git directory: "" for its top, else with a slash first.
[[nodiscard]] bool IsGitList(std::string_view in, std::string_view name);
// As such a file is compared: its own text, or that of its `gitdir`.
[[nodiscard]] GitSnapshot::Text DescribeGitList(const std::string& path, const Host& host);

// Of a ref below refs/, as git's check_refname_format allows it: prompts show it in a terminal.
[[nodiscard]] bool IsRefName(std::string_view name);
// A ref is a hash, or names another one below refs/. What else it names is a file of git's own to git
// (`ref: commondir`), which writes there what it means to write to the ref.
[[nodiscard]] bool NamesARef(std::string_view text);
[[nodiscard]] bool LeadsToRefs(const std::string& ref, const Host& host);

// Every pack it names is a file beside it.
[[nodiscard]] bool NamesPacksBeside(std::string_view multi_pack_index);
// Of a MERGE_RR. None: it is damaged.
[[nodiscard]] std::optional<std::vector<std::string>> ConflictedPaths(std::string_view text);

class GitListJudge {
 public:
  // Borrows `before` and `host`. `directories`: the repositories whose own data is judged.
  GitListJudge(const GitSnapshot& before, const std::vector<GitDirectory>& directories, const Host& host);

  // It names nothing that the command could not write itself, or says what it said before.
  [[nodiscard]] bool IsTrustworthy(const GitSnapshot::Text& list);
  // None where one of the files that name them cannot be read.
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
