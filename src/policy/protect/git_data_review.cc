#include "policy/protect/git_data_review.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>

#include "policy/paths/paths.h"
#include "policy/protect/git_data.h"
#include "policy/protect/git_lists.h"
#include "policy/protect/review_host.h"

namespace mxc {
namespace {

bool Contains(const std::vector<GitSnapshot::Text>& known, const GitSnapshot::Text& file) {
  return std::find(known.begin(), known.end(), file) != known.end();
}

// The command could write in it, or in a part of it.
bool IsReached(const GitSnapshot& before, const Reach& reach, const std::string& git_directory) {
  return reach.Holds(git_directory) ||
         std::any_of(before.roots.begin(), before.roots.end(),
                     [&](const std::string& root) { return IsAtOrBelow(root, git_directory); });
}

// Times have a grain: what is written right after it was looked at may bear the same one.
bool IsUnchanged(const GitSnapshot& before, const GitSnapshot::Text& index) {
  constexpr std::uint64_t kGrain = 2'000'000'000;
  return index.stamp != 0 && before.since && index.stamp + kGrain < *before.since &&
         Contains(before.indexes, index);
}

// Whoever has it open for writing loses it when it is read, and what they wrote before shows then.
bool StaysUnchanged(const GitSnapshot& before, const GitSnapshot::Text& index, const Host& host) {
  if (!IsUnchanged(before, index)) return false;
  if (!host.MayAccess(index.path, Access::kReadOnly)) return true;  // nor can git on the host read it
  if (!host.ReadFile(index.path, 1)) return false;
  PathWalker walker(host);
  const std::optional<GitSnapshot::Text> now = DescribeIndex(index.path, walker);
  return now && IsUnchanged(before, *now);
}

}  // namespace

GitDataReview ReviewGitData(const GitSnapshot& before, std::vector<GitDirectory> directories,
                            const Host& host, TreeSearch::Opener open) {
  const Reach reach(before);
  std::erase_if(directories,
                [&](const GitDirectory& directory) { return !IsReached(before, reach, directory.path); });
  std::unordered_set<std::string> skipped(before.skipped.begin(), before.skipped.end());
  for (const std::string& root : before.roots) skipped.erase(root);
  std::unordered_set<std::string> told;
  for (const GitSnapshot::Text& link : before.links) told.insert(link.path);  // judged as such
  GitData data = FindGitData(directories, skipped, host, &before, std::move(open));
  GitDataReview review{.closed = std::move(data.closed), .gap = std::move(data.gap)};
  const auto take = [&](const GitData::Found& found, GitChange::Kind kind) {
    const std::string& path = found.file.path;
    if (!reach.Holds(path) || !told.insert(path).second) return;
    review.changes.push_back({.kind = kind, .path = path, .part = path, .into = found.whole});
  };
  for (const GitData::Found& passage : data.passages) {
    if (!Contains(before.passages, passage.file)) take(passage, GitChange::Kind::kPassage);
  }
  for (const GitData::Found& index : data.indexes) {
    if (!told.contains(index.file.path) && !StaysUnchanged(before, index.file, host) &&
        !IsTrustworthyIndexFile(index.file.path, index.git_directory, host))
      take(index, GitChange::Kind::kIndex);
  }
  GitListJudge judge(before, directories, host);
  for (const GitData::Found& list : data.lists) {
    if (!judge.IsTrustworthy(list.file)) take(list, GitChange::Kind::kList);
  }
  for (const GitData::Found& ref : data.refs) take(ref, GitChange::Kind::kList);
  // A grant keeps its name.
  if (!data.crowded.empty() && reach.Holds(ParentOf(data.crowded))) review.crowded = std::move(data.crowded);
  return review;
}

}  // namespace mxc
