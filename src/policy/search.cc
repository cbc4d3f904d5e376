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

void TreeSearch::Read(const std::string& directory, const Visit& visit, std::vector<std::string>& below) {
  Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory);
  if (!entries) {
    // Whoever owns it could open it for the command.
    const Lookup lookup = host_.LookAt(directory);
    const Identity caller = host_.Caller();
    if (lookup.status && (caller.IsRoot() || lookup.status->uid == caller.uid)) {
      NoteGap(Quoted(directory) + " cannot be listed");
    }
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
