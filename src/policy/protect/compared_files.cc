#include "policy/protect/compared_files.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/lists.h"
#include "base/path.h"
#include "policy/paths/search.h"
#include "policy/protect/git/layout.h"
#include "policy/protect/git/places.h"

namespace mxc {
namespace {

// Modules that Python loads at every start (site, importlib), unless they are built in: from the entries of
// PYTHONPATH before the system's own. The last two come from Debian's and setuptools' customizations.
constexpr std::string_view kPythonStart =
    "sitecustomize|usercustomize|encodings|codecs|io|abc|site|os|stat|posixpath|genericpath|"
    "_collections_abc|_sitebuiltins|_bootlocale|_weakrefset|apport_python_hook|_distutils_hack";
constexpr std::string_view kPythonPackage = "__init__";   // of a directory with the name of a module
constexpr std::string_view kPythonCache = "__pycache__";  // of compiled files, for the sources beside it

// Whether Python loads a file `name` for one of `modules` (importlib.machinery): a source, a compiled file,
// or a library. It loads a compiled file instead of the source if that records the source's time and length.
bool IsPythonModule(std::string_view name, std::string_view modules, bool in_cache) {
  const std::string_view module = name.substr(0, name.find('.'));
  const std::string_view ending = name.substr(module.size());
  if (!IsOneOf(module, modules)) return false;
  return in_cache ? ending.ends_with(".pyc") : IsOneOf(ending, ".py|.pyc") || ending.ends_with(".so");
}

// Whether the name is part of git's own layout.
bool IsGits(std::string_view name) {
  name = WithoutGitLock(name);
  if (name.ends_with('~')) name.remove_suffix(1);  // an editor's backup of a message
  return IsInGitsCapitals(name) || IsOneOf(name, kGitDirectories) || IsOneOf(name, kGitTop);
}

}  // namespace

GitSnapshot::Text DescribeFound(const std::string& path, const Result<Walked>& walked) {
  if (!walked) return {.path = path, .text = walked.error().message};
  if (!walked->status) return {.path = path};
  return {.path = path,
          .text = walked->path + '\n' + std::to_string(walked->status->object.inode),
          .stamp = walked->status->changed.value_or(0)};
}

std::vector<ComparedFiles> ComparedSearch::Of(const GitSnapshot::Compared& compared) {
  switch (compared.what) {
    case GitSnapshot::Compared::What::kTop:
      return AtTop(compared.directory);
    case GitSnapshot::Compared::What::kNamed:
      return {Below(compared.directory,
                    [&names = compared.names](std::string_view name) { return names.contains(name); })};
    case GitSnapshot::Compared::What::kPython:
      return {OfPython(compared.directory)};
    case GitSnapshot::Compared::What::kAll:
      break;
  }
  return {Below(compared.directory, {})};
}

bool ComparedSearch::Takes(const GitSnapshot::Compared& compared, std::string_view path) const {
  if (compared.what == GitSnapshot::Compared::What::kAll) return true;
  if (compared.what == GitSnapshot::Compared::What::kTop) {
    std::string_view top = path;
    while (ParentOf(top) != compared.directory) top = ParentOf(top);
    return !IsGits(NameOf(top)) && !IsRepository(std::string(top));
  }
  for (std::string_view at = path; at != compared.directory; at = ParentOf(at)) {
    if (IsNamedGit(ParentOf(at)) && IsOneOf(NameOf(at), kGitData)) return false;
  }
  return !host_.LookAt(std::string(path)).Is(FileType::kRegular) || compared.names.contains(NameOf(path));
}

bool ComparedSearch::Has(const std::string& directory, std::string_view name) const {
  return host_.LookAt(JoinPath(directory, name)).status.has_value();
}

bool ComparedSearch::IsRepository(const std::string& directory) const {
  return Has(directory, ".git") || (Has(directory, "objects") && Has(directory, "refs"));
}

std::vector<ComparedFiles> ComparedSearch::AtTop(const std::string& directory) {
  const Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(directory, {});
  if (!entries) return {};  // reported elsewhere
  std::vector<ComparedFiles> all(1);
  all.front().directory = directory;
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = JoinPath(directory, entry.name);
    if (IsGits(entry.name) || skipped_.contains(path)) continue;
    if (entry.type != FileType::kDirectory) {
      all.front().files.push_back(DescribeFound(path, walker_.Walk(path)));
    } else if (!IsRepository(path)) {
      all.push_back(Below(path, {}));
    }
  }
  return all;
}

ComparedFiles ComparedSearch::OfPython(const std::string& entry) {
  ComparedFiles all{.directory = entry};
  for (std::string_view at = entry; at != "/"; at = ParentOf(at)) {
    const Result<Walked> walked = walker_.Walk(std::string(at));
    if (walked && walked->Is(FileType::kRegular)) all.files.push_back(DescribeFound(std::string(at), walked));
    if (!walked || walked->status) break;
  }
  for (const DirectoryEntry& each : AddModules(entry, kPythonStart, false, all)) {
    if (IsOneOf(each.name, kPythonStart)) AddModules(JoinPath(entry, each.name), kPythonPackage, false, all);
  }
  return all;
}

// NOLINTNEXTLINE(misc-no-recursion): once, for the cache
std::vector<DirectoryEntry> ComparedSearch::AddModules(const std::string& directory, std::string_view modules,
                                                       bool in_cache, ComparedFiles& all) {
  const Result<Walked> walked = walker_.Walk(directory);
  if (!walked || !walked->Is(FileType::kDirectory)) return {};
  Result<std::vector<DirectoryEntry>> entries = host_.ListEntries(walked->path, {});
  if (!entries) {
    if (host_.MayExecute(walked->path)) all.files.push_back({.path = directory, .text = "closed"});
    return {};
  }
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = JoinPath(directory, entry.name);
    if (skipped_.contains(path)) continue;
    if (entry.name == kPythonCache && !in_cache) AddModules(path, modules, true, all);
    if (entry.type != FileType::kDirectory && IsPythonModule(entry.name, modules, in_cache))
      all.files.push_back(DescribeFound(path, walker_.Walk(path)));
  }
  return std::move(*entries);
}

ComparedFiles ComparedSearch::Below(const std::string& directory, NameFilter wanted) {
  constexpr std::size_t kMost = 2048;
  ComparedFiles all{.directory = directory};
  GitSnapshot::Text whole{.path = directory};
  std::size_t count = 0;
  const bool named = static_cast<bool>(wanted);
  TreeSearch search(host_, std::move(wanted));
  search.Run({directory}, [&](const std::string& place, std::vector<DirectoryEntry>& entries) {
    if (!named) whole.stamp = std::max(whole.stamp, StampOf(host_.LookAt(place)));
    for (const DirectoryEntry& entry : entries) {
      const std::string path = JoinPath(place, entry.name);
      if (entry.type == FileType::kDirectory || skipped_.contains(path)) continue;
      GitSnapshot::Text file = DescribeFound(path, walker_.Walk(path));
      whole.stamp = std::max(whole.stamp, file.stamp);
      if (++count <= kMost) all.files.push_back(std::move(file));
    }
    std::erase_if(entries, [&](const DirectoryEntry& entry) {
      const std::string path = JoinPath(place, entry.name);
      return skipped_.contains(path) || (named && IsNamedGit(place) && IsOneOf(entry.name, kGitData));
    });
  });
  for (const std::string& closed : search.Unsearched())
    all.files.push_back({.path = closed, .text = "closed"});
  if (!search.Gap().empty()) {
    all.files = {{.path = directory, .text = std::string(kNotSearched)}};
  } else if (count > kMost) {
    whole.text = std::to_string(count) + " files";
    all.files = {std::move(whole)};
  }
  return all;
}

}  // namespace mxc
