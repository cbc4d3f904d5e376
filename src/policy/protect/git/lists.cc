#include "policy/protect/git/lists.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/lists.h"
#include "mxc/limits.h"
#include "policy/protect/git/config.h"
#include "policy/protect/git/index.h"
#include "policy/protect/git/places.h"

namespace mxc {
namespace {

constexpr std::string_view kWorkTrees = "/worktrees";
constexpr std::string_view kPackIndexes = "/objects/pack/multi-pack-index.d";

bool IsPlainName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

bool NamesFilesBeside(std::string_view text) {
  while (!text.empty()) {
    if (!IsPlainName(TakePiece(text, "\n"))) return false;
  }
  return true;
}

// The text of HEAD in a repository with reftables.
constexpr std::string_view kRefOfReftables = "refs/heads/.invalid";

// The paths of an `alternates`, which git reads up to the first NUL.
std::vector<std::string> ObjectStores(std::string_view text) {
  std::vector<std::string> stores;
  for (text = text.substr(0, text.find('\0')); !text.empty();) {
    const std::string_view line = TakePiece(text, "\n");
    if (!line.empty() && !line.starts_with('#')) stores.emplace_back(line);
  }
  return stores;
}

}  // namespace

bool IsGitList(std::string_view in, std::string_view name) {
  // A push puts its objects into a separate directory until the hook has ended.
  constexpr std::string_view kObjects = "/objects";
  constexpr std::string_view kIncoming = "/tmp_objdir-";
  if (in.starts_with(kObjects) && in.substr(kObjects.size()).starts_with(kIncoming)) {
    const std::size_t below = in.find('/', kObjects.size() + kIncoming.size());
    return IsGitList(std::string(kObjects).append(in.substr(std::min(below, in.size()))), name);
  }
  return in == kWorkTrees || (in == kPackIndexes && name.ends_with(".midx")) ||
         IsOneOf(std::string(in).append("/").append(name), kGitLists);
}

GitSnapshot::Text DescribeGitList(const std::string& path, const Host& host) {
  const bool entry = ParentOf(path).ends_with(kWorkTrees);
  GitSnapshot::Text list{.path = path};
  if (!entry && NameOf(path) != "alternates") return list;
  PathWalker walker(host);
  const Result<std::optional<std::string>> text =
      ReadGitFile(entry ? JoinPath(path, "gitdir") : path, host, walker);
  if (text) list.text = text->value_or("");
  if (entry || list.text.empty()) return list;
  // The time of change, because two commands together may move the file away and back.
  const Lookup lookup = host.LookAt(path);
  list.stamp = lookup.status ? lookup.status->changed.value_or(0) : 0;
  // And the targets: a directory on the way may be a link by the next run.
  const std::string objects{ParentOf(ParentOf(path))};
  const std::vector<std::string> stores = ObjectStores(list.text);
  for (const std::string& store : stores) {
    const Result<Walked> walked = walker.Walk(Against(objects, store));
    list.text += '\0' + (walked ? walked->path : "");
  }
  return list;
}

bool IsRefName(std::string_view name) {
  if (!name.starts_with("refs/")) return false;
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '\x7f' &&
           std::string_view("~^:?*[\\").find(c) == std::string_view::npos;
  });
  if (!plain || name.find("..") != std::string_view::npos || name.find("@{") != std::string_view::npos ||
      name.ends_with('.'))
    return false;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = name.substr(start, end - start);
    if (part.empty() || part.starts_with('.') || part.ends_with(".lock")) return false;
    start = end + 1;
  }
  return true;
}

bool NamesARef(std::string_view text) {
  constexpr std::string_view kSymbolic = "ref:";
  constexpr std::string_view kBlanks = " \t\n\r";
  if (!text.starts_with(kSymbolic)) return true;
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks, kSymbolic.size()), text.size()));
  text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
  return text == kRefOfReftables || IsRefName(text);
}

bool LeadsToRefs(const std::string& ref, const Host& host) {
  constexpr std::size_t kLongest = 8192;  // more than any path
  const Result<std::string> text = host.ReadFile(ref, kLongest);
  if (text) return NamesARef(*text);
  return !host.MayAccess(ref, Access::kReadOnly);  // git on the host cannot read it either
}

// A header, a table of chunks, and a chunk with the names, each followed by NUL.
bool NamesPacksBeside(std::string_view bytes) {
  constexpr std::string_view kPackIndexSignature = "MIDX";
  constexpr std::string_view kNames = "PNAM";
  constexpr std::size_t kHeader = 12;
  constexpr std::size_t kRow = 12;
  if (!bytes.starts_with(kPackIndexSignature)) return true;  // git rejects it
  if (bytes.size() < kHeader) return false;
  const std::uint64_t chunks = BigEndianAt(bytes, 6, 1);
  if (bytes.size() < kHeader + (chunks + 1) * kRow) return false;
  std::string_view names;
  std::size_t found = 0;
  for (std::size_t at = kHeader; at < kHeader + chunks * kRow; at += kRow) {
    if (bytes.substr(at, kNames.size()) != kNames) continue;
    const std::uint64_t start = BigEndianAt(bytes, at + 4, 8);
    const std::uint64_t end = BigEndianAt(bytes, at + kRow + 4, 8);
    if (start > end || end > bytes.size()) return false;
    names = bytes.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start));
    ++found;
  }
  if (found != 1) return false;
  for (std::uint64_t packs = BigEndianAt(bytes, 8, 4); packs > 0; --packs) {
    const std::size_t end = names.find('\0');
    if (end == std::string_view::npos || !IsPlainName(names.substr(0, end))) return false;
    names.remove_prefix(end + 1);
  }
  return true;
}

// "HASH\tPATH" and NUL.
std::optional<std::vector<std::string>> ConflictedPaths(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const std::size_t end = text.find('\0');
    const std::size_t tab = text.substr(0, end).find('\t');
    if (end == std::string_view::npos || tab == std::string_view::npos) return std::nullopt;
    paths.emplace_back(text.substr(tab + 1, end - tab - 1));
    text.remove_prefix(end + 1);
  }
  return paths;
}

GitListJudge::GitListJudge(const GitSnapshot& before, const std::vector<GitDirectory>& directories,
                           const Host& host)
    : before_(before), host_(host), walker_(host), reach_(before) {
  for (const GitDirectory& directory : directories) stores_.insert(JoinPath(directory.path, "objects"));
}

bool GitListJudge::WasThere(const GitSnapshot::Text& list) const {
  return !list.text.empty() && Contains(before_.passages, list);
}

bool GitListJudge::ThroughLinks(const Walked& walked) const {
  return LeadsThrough(walked, [this](const std::string& link) { return reach_.HoldsWritable(link); });
}

// The parent of a `.git`, those of `gitdir`, and of the configuration.
std::vector<std::string> GitListJudge::WorkTreesOf(const std::string& git_directory) {
  std::vector<std::string> written;
  if (IsNamedGit(git_directory)) written.emplace_back(ParentOf(git_directory));
  const Result<std::optional<std::string>> linked =
      ReadGitFile(JoinPath(git_directory, "gitdir"), host_, walker_);
  if (!linked) return {};
  if (*linked) written.emplace_back(ParentOf(Against(git_directory, CommonDirectoryIn(**linked))));
  for (const char* file : kGitConfigs) {
    const auto variables = ReadGitConfigFile(JoinPath(git_directory, file), host_, walker_);
    if (!variables) return {};
    for (const GitVariable& variable : *variables) {
      if (variable.Is("core", "worktree")) written.push_back(Against(git_directory, variable.value));
    }
  }
  std::vector<std::string> trees;
  for (const std::string& tree : written) {
    Result<Walked> walked = walker_.Walk(tree);
    if (walked && !ThroughLinks(*walked)) trees.push_back(std::move(walked->path));
  }
  return trees;
}

bool GitListJudge::IsPlainFileOf(const std::string& tree, std::string_view path) const {
  constexpr std::uint32_t kRegular = 0100644;
  if (!StaysInWorkTree(path, kRegular)) return false;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = path.find('/', end + 1);
    const Lookup lookup = host_.LookAt(JoinPath(tree, path.substr(0, end)));
    if (!lookup.status) return !MayBeThere(lookup);
    const FileType wanted = end == std::string_view::npos ? FileType::kRegular : FileType::kDirectory;
    if (lookup.status->object.type != wanted) return false;
  }
  return true;
}

bool GitListJudge::NamesConflicts(const GitSnapshot::Text& list) {
  const Result<std::string> text = host_.ReadFile(list.path, kMaxGitConfigBytes + 1);
  if (!text || text->size() > kMaxGitConfigBytes) return false;
  const std::optional<std::vector<std::string>> paths = ConflictedPaths(*text);
  if (!paths) return false;
  if (paths->empty()) return true;
  const std::vector<std::string> trees = WorkTreesOf(std::string(ParentOf(list.path)));
  return !trees.empty() && std::all_of(trees.begin(), trees.end(), [&](const std::string& tree) {
    return std::all_of(paths->begin(), paths->end(), [&](const std::string& path) {
      return IsPlainFileOf(tree, path) && reach_.HoldsWritable(JoinPath(tree, path));
    });
  });
}

// Whether a store outside known repositories leads nowhere else.
bool GitListJudge::IsPlainStore(const std::string& store) const {
  if (MayBeThere(host_.LookAt(JoinPath(store, "info/alternates")))) return false;
  std::vector<std::string> directories = {store};
  for (std::size_t i = 0; i < directories.size(); ++i) {
    const std::string directory = directories[i];
    const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory, {});
    if (!entries) return false;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.type != FileType::kRegular && entry.type != FileType::kDirectory) return false;
      if (entry.type == FileType::kDirectory && i == 0)
        directories.push_back(JoinPath(directory, entry.name));
    }
  }
  return true;
}

bool GitListJudge::NamesObjects(const GitSnapshot::Text& list) {
  const bool was_there = WasThere(list);
  const std::string objects{ParentOf(ParentOf(list.path))};
  const std::vector<std::string> stores = ObjectStores(list.text);
  return !list.text.empty() && std::all_of(stores.begin(), stores.end(), [&](const std::string& store) {
    const Result<Walked> walked = walker_.Walk(Against(objects, store));
    if (!walked || store.starts_with('"')) return was_there;
    if (!reach_.HoldsWritable(walked->path) || ThroughLinks(*walked)) return was_there;
    return stores_.contains(walked->path) || !walked->status || IsPlainStore(walked->path);
  });
}

// Old versions of git resolve a relative path from their current directory, but refuse a repository with this
// extension.
bool GitListJudge::MayBeRelative(const std::string& git_directory) {
  const auto variables = ReadGitConfigFile(JoinPath(git_directory, "config"), host_, walker_);
  return variables && std::any_of(variables->begin(), variables->end(), [](const GitVariable& variable) {
           return variable.Is("extensions", "relativeworktrees") && variable.value == "true";
         });
}

// Whether the named work tree points back to this entry, or is gone.
bool GitListJudge::NamesWorkTree(const GitSnapshot::Text& entry) {
  std::string_view path = entry.text;
  if (path.ends_with('\n')) path.remove_suffix(1);
  const bool plain =
      std::all_of(path.begin(), path.end(), [](char c) { return static_cast<unsigned char>(c) >= ' '; });
  if (!plain || !path.ends_with("/.git")) return false;
  if (!path.starts_with('/') && !MayBeRelative(std::string(ParentOf(ParentOf(entry.path))))) return false;
  const Result<Walked> walked = walker_.Walk(Against(entry.path, path));
  if (!walked) return false;
  if (!reach_.HoldsWritable(walked->path)) return WasThere(entry);
  if (ThroughLinks(*walked)) return false;
  if (!walked->status) return !walker_.LookAt(std::string(ParentOf(walked->path))).status;
  if (!walked->Is(FileType::kRegular)) return false;
  const std::optional<std::string> back = ReadGitPointer(walked->path, host_, walker_);
  if (!back) return false;
  const Result<Walked> led = walker_.Walk(*back);
  return led && led->path == entry.path;
}

bool GitListJudge::IsTrustworthy(const GitSnapshot::Text& list) {
  const std::string_view name = NameOf(list.path);
  if (ParentOf(list.path).ends_with(kWorkTrees)) {
    // git ignores an entry without it.
    return !MayBeThere(host_.LookAt(JoinPath(list.path, "gitdir"))) || NamesWorkTree(list);
  }
  if (name == "MERGE_RR") return NamesConflicts(list);
  if (name == "alternates") return NamesObjects(list);
  // The names precede the rest, which is much longer.
  constexpr std::size_t kLongest = std::size_t{16} * 1024 * 1024;
  const Result<std::string> bytes = host_.ReadFile(list.path, kLongest);
  if (!bytes) return false;
  return name == "tables.list" ? NamesFilesBeside(*bytes) : NamesPacksBeside(*bytes);
}

}  // namespace mxc
