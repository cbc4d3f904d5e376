#include "policy/search.h"

#include <utility>

#include "mxc/limits.h"
#include "policy/paths.h"

namespace mxc {

bool TreeSearch::Exhausted(std::size_t depth) {
  if (seen_ > kMaxSearchEntries) {
    NoteGap("there are more than " + std::to_string(kMaxSearchEntries) + " files; it ended at depth " +
            std::to_string(depth));
    return true;
  }
  if (host_.Clock() - start_ > kMaxSearchMs) {
    NoteGap("it took longer than " + std::to_string(kMaxSearchMs) + " ms; it ended at depth " +
            std::to_string(depth));
    return true;
  }
  return false;
}

// Whoever owns a directory could open it for the command. A link is what it leads to: one to a file, or to
// nothing, is no directory.
bool TreeSearch::CouldBeListed(const std::string& directory) {
  const Result<Walked> walked = PathWalker(host_).Walk(directory);
  if (!walked) return host_.MayAccess(directory, Access::kReadOnly);
  if (!walked->status || walked->status->object.type != FileType::kDirectory) return false;
  const Identity caller = host_.Caller();
  return caller.IsRoot() || walked->status->uid == caller.uid;
}

void TreeSearch::Read(const std::string& directory, const Visit& visit, std::vector<std::string>& below) {
  Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory);
  if (!entries) {
    if (CouldBeListed(directory)) NoteGap(Quoted(directory) + " cannot be listed");
    return;
  }
  seen_ += entries->size();
  visit(directory, *entries);
  for (const DirectoryEntry& entry : *entries) {
    if (entry.type == FileType::kDirectory) below.push_back(JoinPath(directory, entry.name));
  }
}

void TreeSearch::Run(std::vector<std::string> roots, const Visit& visit) {
  for (std::size_t depth = 0; !roots.empty(); ++depth) {
    if (depth > kMaxSearchDepth) {
      NoteGap("there are directories deeper than " + std::to_string(kMaxSearchDepth));
      return;
    }
    std::vector<std::string> below;
    for (const std::string& directory : roots) {
      if (Exhausted(depth)) return;
      Read(directory, visit, below);
    }
    roots = std::move(below);
  }
}

}  // namespace mxc
