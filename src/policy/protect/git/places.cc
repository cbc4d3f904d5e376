#include "policy/protect/git/places.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/lists.h"
#include "mxc/fold.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"

namespace mxc {
namespace {

constexpr std::string_view kParts[] = {"objects", "refs", "commondir"};
constexpr std::string_view kHooks = "hooks";

// Whether folding may turn the name into one of git's by more than letter case.
bool IsBeyondAscii(std::string_view name) {
  return std::any_of(name.begin(), name.end(),
                     [](char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; });
}

// Uses the file system's own folding, by a lookup.
void NameAsGitDoes(const std::string& directory, std::vector<DirectoryEntry>& entries, const Host& host) {
  const auto beyond = [](const DirectoryEntry& entry) { return IsBeyondAscii(entry.name); };
  if (std::none_of(entries.begin(), entries.end(), beyond)) return;
  for (const std::string_view name : {std::string_view(".git"), kParts[0], kParts[1], kParts[2]}) {
    const Lookup found = host.LookAt(JoinPath(directory, name));
    const auto same = [&](const DirectoryEntry& entry) {
      if (!beyond(entry)) return false;
      const Lookup lookup = host.LookAt(JoinPath(directory, entry.name));
      return lookup.status && lookup.status->object.IsSame(found.status->object);
    };
    const auto listed = [name](const DirectoryEntry& entry) { return EqualsFolded(entry.name, name); };
    if (!found.status || std::any_of(entries.begin(), entries.end(), listed)) continue;
    const auto entry = std::find_if(entries.begin(), entries.end(), same);
    if (entry != entries.end()) entry->name = name;
  }
}

}  // namespace

std::string Against(std::string_view base, std::string_view path) {
  return path.starts_with('/') ? std::string(path) : JoinPath(base, path);
}

bool IsGitName(std::string_view name) { return EqualsFolded(name, ".git"); }
bool IsNamedGit(std::string_view path) { return IsGitName(NameOf(path)); }
std::string WorkTreeOf(const std::string& place) {
  return IsNamedGit(place) ? std::string(ParentOf(place)) : place;
}
bool IsOtherPlace(std::string_view path) { return IsOneOf(NameOf(path), kOtherPlaces); }

bool IsGitDirectory(const std::string& path, const Host& host) {
  constexpr std::size_t kMaxHeadBytes = 4096;
  constexpr std::size_t kShortestId = 40;
  constexpr std::string_view kReference = "ref:";
  const auto is_directory = [&](std::string_view name) {
    const Result<Walked> walked = PathWalker(host).Walk(JoinPath(path, name));
    return walked && walked->Is(FileType::kDirectory);
  };
  if (host.LookAt(path).Is(FileType::kRegular)) return true;
  const bool linked = MayBeThere(host.LookAt(JoinPath(path, "commondir")));
  if (!linked && (!is_directory("objects") || !is_directory("refs"))) return false;
  const std::string head = JoinPath(path, "HEAD");
  if (host.LookAt(head).Is(FileType::kSymlink)) {
    const Result<std::string> link = host.ReadLink(head);
    return link && link->starts_with("refs/");
  }
  const Result<std::string> text = host.ReadFile(head, kMaxHeadBytes);
  if (!text) return false;
  std::string_view rest = *text;
  if (rest.starts_with(kReference)) {
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n", kReference.size()), rest.size()));
    return rest.starts_with("refs/");
  }
  const std::size_t id = std::min(rest.find_first_not_of("0123456789abcdefABCDEF"), rest.size());
  return id >= kShortestId;
}

Result<std::optional<std::string>> ReadGitFile(const std::string& path, const Host& host,
                                               PathWalker& walker) {
  const auto refuse = [&](const std::string& why) {
    return Conflict(
        "git's file " + Quoted(path) + " cannot be read: " + why, {},
        "remove it if an earlier run has left it, else make it a file that you can read, of at most " +
            std::to_string(kMaxGitConfigBytes) + " bytes; or write \"protect\": []");
  };
  const Result<Walked> walked = walker.Walk(path);
  if (!walked) {
    const Lookup& lookup = walker.LookAt(path);
    if (!lookup.status && lookup.failure == LookupFailure::kDenied) return std::optional<std::string>{};
    return refuse(walked.error().message);
  }
  if (!walked->status || walked->Is(FileType::kDirectory)) return std::optional<std::string>{};
  if (walked->Is(FileType::kSymlink)) return refuse("it leads through " + Quoted(walked->path));
  // GIT_CONFIG_GLOBAL=/dev/null
  if (!walked->Is(FileType::kRegular) && !walked->Is(FileType::kCharacterDevice))
    return refuse("it is not a regular file");
  Result<std::string> text = host.ReadFile(walked->path, kMaxGitConfigBytes + 1);
  if (!text) return refuse(text.error().message);
  if (text->size() > kMaxGitConfigBytes)
    return refuse("it is longer than " + std::to_string(kMaxGitConfigBytes) + " bytes");
  return std::optional(std::move(*text));
}

Result<std::vector<GitVariable>> ReadGitConfigFile(const std::string& path, const Host& host,
                                                   PathWalker& walker) {
  const Result<std::optional<std::string>> text = ReadGitFile(path, host, walker);
  if (!text) return text.error();
  return ReadGitConfig(text->value_or(""));
}

std::string GitDirectoryOfCaller(const Host& host) {
  const std::string here = host.WorkingDirectory();
  if (const std::optional<std::string> named = host.Environment("GIT_DIR"); named && !named->empty()) {
    const Result<Walked> walked = PathWalker(host).Walk(Against(here, *named));
    return walked ? walked->path : "";
  }
  for (std::string_view above = here; !above.empty(); above = ParentOf(above)) {
    std::string git = JoinPath(above, ".git");
    if (host.LookAt(git).status) return git;
    if (above == "/") break;
  }
  return "";
}

std::optional<std::string> ReadGitPointer(const std::string& path, const Host& host, PathWalker& walker) {
  const Result<std::optional<std::string>> text = ReadGitFile(path, host, walker);
  const std::string_view led = text && *text ? GitDirectoryIn(**text) : std::string_view{};
  if (led.empty()) return std::nullopt;
  return Against(ParentOf(path), led);
}

std::string_view GitDirectoryIn(std::string_view text) {
  constexpr std::string_view kKey = "gitdir: ";
  return text.starts_with(kKey) ? CommonDirectoryIn(text.substr(kKey.size())) : std::string_view{};
}

std::string_view CommonDirectoryIn(std::string_view text) {
  text = text.substr(0, text.find_last_not_of("\r\n") + 1);
  return text.substr(0, text.find('\0'));
}

bool GitPlaces::Wants(std::string_view name) {
  return IsGitName(name) || IsOneOf(name, kOtherPlaces) || IsBeyondAscii(name) ||
         EqualsFolded(name, kHooks) ||
         std::any_of(std::begin(kParts), std::end(kParts),
                     [name](std::string_view part) { return EqualsFolded(name, part); });
}

bool GitPlaces::Concerns(std::string_view directory, const std::vector<DirectoryEntry>& entries) {
  return IsNamedGit(directory) || std::any_of(entries.begin(), entries.end(),
                                              [](const DirectoryEntry& entry) { return Wants(entry.name); });
}

void GitPlaces::Add(WorkTree tree) {
  seen_trees_.insert(tree.git);
  if (!seen_pairs_.emplace(tree.git, tree.directory).second) return;
  if (tree.type == FileType::kDirectory) Add(GitDirectory{.path = tree.git});
  trees_.push_back(std::move(tree));
}

void GitPlaces::Add(GitDirectory directory) {
  if (seen_.insert(directory.path).second) directories_.push_back(std::move(directory));
}

void GitPlaces::Visit(const std::string& directory, std::vector<DirectoryEntry>& entries, const Host& host) {
  NameAsGitDoes(directory, entries, host);
  std::string objects;
  std::string refs;
  bool common = false;
  for (const DirectoryEntry& entry : entries) {
    if (EqualsFolded(entry.name, "objects")) objects = entry.name;
    if (EqualsFolded(entry.name, "refs")) refs = entry.name;
    common = common || EqualsFolded(entry.name, "commondir");
    if (IsOneOf(entry.name, kOtherPlaces)) AddOther(JoinPath(directory, entry.name));
    if (EqualsFolded(entry.name, kHooks)) hooks_.push_back(JoinPath(directory, entry.name));
    if (!IsGitName(entry.name)) continue;
    Add(WorkTree{.directory = directory, .git = JoinPath(directory, entry.name), .type = entry.type});
  }
  const bool named = IsNamedGit(directory);
  const bool whole = !objects.empty() && !refs.empty();
  if (named) {
    Add(GitDirectory{.path = directory});
  } else if (whole) {
    Add(GitDirectory{.path = directory, .shape = {JoinPath(directory, objects), JoinPath(directory, refs)}});
  } else if (common) {
    Add(GitDirectory{.path = directory, .linked = true});
  }
  if (!named) return;
  const auto data = [&](const DirectoryEntry& entry) {
    const bool is = IsOneOf(entry.name, kGitData);
    if (is && entry.type == FileType::kDirectory) data_.push_back(JoinPath(directory, entry.name));
    return is;
  };
  std::erase_if(entries, data);
}

std::vector<std::string> GitPlaces::StrayHooks() const {
  std::vector<std::string> stray;
  std::copy_if(hooks_.begin(), hooks_.end(), std::back_inserter(stray), [this](const std::string& hooks) {
    return !IsNamedGit(ParentOf(hooks)) && !seen_.contains(std::string(ParentOf(hooks)));
  });
  return stray;
}

std::vector<GitPlaces::Named> GitPlaces::All() const {
  std::vector<Named> all;
  for (const WorkTree& tree : trees_) all.push_back({.path = tree.git, .part = tree.git});
  for (const GitDirectory& directory : directories_) {
    if (seen_trees_.contains(directory.path)) continue;
    const bool named = IsNamedGit(directory.path) || (directory.shape.empty() && !directory.linked);
    std::string part = named ? directory.path : JoinPath(directory.path, "commondir");
    if (!directory.shape.empty()) part = directory.shape.front();
    all.push_back({.path = directory.path, .part = std::move(part)});
  }
  for (const std::string& other : others_) all.push_back({.path = other, .part = other});
  std::sort(all.begin(), all.end(),
            [](const Named& left, const Named& right) { return left.path < right.path; });
  const auto same = [](const Named& left, const Named& right) { return left.path == right.path; };
  all.erase(std::unique(all.begin(), all.end(), same), all.end());
  return all;
}

}  // namespace mxc
