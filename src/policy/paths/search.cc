#include "policy/paths/search.h"

#include "mxc/limits.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

// Longer paths cannot be named to any system call, by git neither: it asks for its working directory first.
constexpr std::size_t kLongestName = kMaxPathBytes - sizeof "/.git/config";

}  // namespace

bool TreeSearch::Exhausted() {
  if (seen_ > kMaxSearchEntries)
    NoteGap("there are more than " + std::to_string(kMaxSearchEntries) + " directories");
  if (host_.Clock() - start_ > kMaxSearchMs)
    NoteGap("it took longer than " + std::to_string(kMaxSearchMs) + " ms");
  return !gap_.empty();
}

// Whoever owns it could open it for the command; whoever may pass through it can use what it knows by name. A
// link is what it leads to: one to a file, or to nothing, is no directory.
void TreeSearch::NoteUnread(const std::string& directory) {
  const Result<Walked> walked = PathWalker(host_).Walk(directory);
  if (walked && (!walked->status || walked->status->object.type != FileType::kDirectory)) return;
  if (host_.MayAccess(directory, Access::kReadOnly)) return NoteGap(Quoted(directory) + " cannot be listed");
  if (!walked) return;
  if (walked->status->uid == host_.Caller().uid || host_.MayExecute(directory)) closed_.push_back(directory);
}

void TreeSearch::Read(const std::string& directory, const Visit& visit, std::vector<std::string>& pending) {
  Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory, wanted_);
  if (!entries && open_ && open_(directory)) entries = host_.ListEntries(directory, wanted_);
  if (!entries) return NoteUnread(directory);
  seen_ += entries->size();
  visit(directory, *entries);
  bool deepest = false;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.type != FileType::kDirectory) continue;
    std::string path = JoinPath(directory, entry.name);
    deepest = deepest || path.size() > kLongestName;
    if (path.size() <= kLongestName) pending.push_back(std::move(path));
  }
  if (deepest) deepest_.push_back(directory);
}

// Depth first: what waits is what stands beside the way, not a whole level of the tree.
void TreeSearch::Run(std::vector<std::string> roots, const Visit& visit) {
  while (!roots.empty() && !Exhausted()) {
    const std::string directory = std::move(roots.back());
    roots.pop_back();
    Read(directory, visit, roots);
  }
}

}  // namespace mxc
