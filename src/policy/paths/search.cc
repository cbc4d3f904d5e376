#include "policy/paths/search.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <system_error>

#include "base/at_once.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"

namespace mxc {

bool TreeSearch::Exhausted() {
  if (seen_ > kMaxSearchEntries)
    NoteGap("there are more than " + std::to_string(kMaxSearchEntries) + " directories");
  if (bytes_ > kMaxSearchBytes)
    NoteGap("the paths of all that is there have more than " + std::to_string(kMaxSearchBytes) + " bytes");
  if (host_.Clock() - start_ > kMaxSearchMs)
    NoteGap("it took longer than " + std::to_string(kMaxSearchMs) + " ms");
  return !gap_.empty();
}

// The owner of a directory could open it for the command, and a command with search permission can use known
// names in it. A link counts as its target: a link to a file, or a dangling one, is no directory.
void TreeSearch::NoteUnread(const std::string& directory) {
  const Result<Walked> walked = PathWalker(host_).Walk(directory);
  if (walked && !walked->Is(FileType::kDirectory)) return;
  const bool enters = host_.MayExecute(directory);
  if (enters && host_.MayAccess(directory, Access::kReadOnly))
    return NoteGap(Quoted(directory) + " cannot be listed");
  if (!walked) return;
  if (walked->status->uid == host_.Caller().uid || enters) closed_.push_back(directory);
}

void TreeSearch::AsTheCommand(const std::vector<std::string>& grants) {
  as_command_ = host_.Caller().IsRoot();
  reached_ = {grants.begin(), grants.end()};
}

// Empty if unknown; then everything is searched.
const std::unordered_set<std::uint32_t>& TreeSearch::GroupsOfRoot() {
  constexpr std::size_t kMaxStatusBytes = 65536;
  constexpr std::string_view kGroups = "\nGroups:";
  if (groups_) return *groups_;
  groups_.emplace();
  const Result<std::string> status = host_.ReadFile("/proc/self/status", kMaxStatusBytes);
  const std::size_t begin = status ? status->find(kGroups) : std::string::npos;
  if (begin == std::string::npos) return *groups_;
  groups_->insert(host_.Caller().gid);
  std::string_view line = std::string_view(*status).substr(begin + kGroups.size());
  line = line.substr(0, line.find('\n'));
  while (!line.empty()) {
    std::uint32_t group = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), group);
    if (read.ec == std::errc{}) groups_->insert(group);
    line.remove_prefix(std::max<std::size_t>(1, static_cast<std::size_t>(read.ptr - line.data())));
  }
  return *groups_;
}

bool TreeSearch::IsClosedToRoot(const std::string& directory) {
  constexpr std::uint32_t kEnterAsGroup = 0010;
  constexpr std::uint32_t kEnterAsOther = 0001;
  const Lookup lookup = host_.LookAt(directory);
  if (!lookup.status || lookup.status->uid == 0) return false;
  const std::unordered_set<std::uint32_t>& groups = GroupsOfRoot();
  if (groups.empty()) return false;
  const bool member = groups.contains(lookup.status->gid);
  if ((lookup.status->mode & (member ? kEnterAsGroup : kEnterAsOther)) != 0) return false;
  // An access control list may grant root more than the mode bits.
  return !host_.Attribute(directory, kAccessAcl) && !host_.Attribute(directory, "system.nfs4_acl");
}

bool TreeSearch::IsOutOfReach(const std::string& directory) {
  std::vector<std::string> way;
  for (std::string_view above = directory; above != "/"; above = ParentOf(above)) {
    if (reached_.contains(std::string(above))) break;
    way.emplace_back(above);
    if (IsClosedToRoot(way.back())) return true;
  }
  reached_.insert(way.begin(), way.end());
  return false;
}

TreeSearch::Listing TreeSearch::List(const std::string& directory) const {
  Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory, wanted_);
  return entries ? Listing(*std::move(entries)) : Listing();
}

void TreeSearch::ListAll(const std::vector<Pending>& directories, std::vector<Listing>& listings) const {
  listings.assign(directories.size(), {});
  AtOnce(directories.size(), [&](std::size_t i) {
    if (host_.Clock() - start_ <= kMaxSearchMs) listings[i] = List(directories[i].path);
  });
}

void TreeSearch::Take(const Pending& next, Listing& listing, const Visit& visit,
                      std::vector<Pending>& pending) {
  const std::string& directory = next.path;
  if (!listing && open_ && open_(directory)) listing = List(directory);
  if (!listing) return NoteUnread(directory);
  std::vector<DirectoryEntry>& entries = *listing;
  seen_ += entries.size();
  bytes_ += entries.size() * directory.size();
  const auto wanted = [this](const DirectoryEntry& entry) { return wanted_ && wanted_(entry.name); };
  if (as_command_ && std::any_of(entries.begin(), entries.end(), wanted) && IsOutOfReach(directory)) return;
  inode_ = next.inode;
  visit(directory, entries);
  bool deepest = false;
  for (const DirectoryEntry& entry : entries) {
    if (entry.type != FileType::kDirectory) continue;
    std::string path = JoinPath(directory, entry.name);
    deepest = deepest || path.size() > kMaxSearchedPath;
    if (path.size() > kMaxSearchedPath) continue;
    pending.push_back({.path = std::move(path), .inode = entry.inode});
  }
  if (deepest) deepest_.push_back(directory);
}

// Depth first, in batches: the queue holds siblings along the path, not a whole level of the tree.
void TreeSearch::Run(std::vector<std::string> roots, const Visit& visit) {
  constexpr std::size_t kTogether = 4096;
  std::vector<Pending> pending;
  std::vector<Pending> next;
  std::vector<Listing> listings;
  for (std::string& root : roots) pending.push_back({.path = std::move(root)});
  while (!pending.empty() && !Exhausted()) {
    const auto first = pending.end() - static_cast<std::ptrdiff_t>(std::min(pending.size(), kTogether));
    next.assign(std::make_move_iterator(first), std::make_move_iterator(pending.end()));
    pending.erase(first, pending.end());
    ListAll(next, listings);
    // The time limit may expire while they are listed.
    for (std::size_t i = 0; i < next.size() && !Exhausted(); ++i) Take(next[i], listings[i], visit, pending);
  }
}

}  // namespace mxc
