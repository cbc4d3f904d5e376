#include "policy/own_places.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/lists.h"
#include "base/runtime_places.h"
#include "policy/paths/homes.h"

namespace mxc {
namespace {

bool IsAbsolute(const std::optional<std::string>& path) { return path && path->starts_with('/'); }

// The targets of links among the entries of a directory of configuration or images: later runs obey them as
// well. Links deeper in the images are refused when they are read.
void AddLinksIn(const Host& host, PathWalker& walker, const std::string& directory,
                std::vector<OwnPlace>& places) {
  const Lookup& found = walker.LookAt(directory);
  if (!found.status && found.failure == LookupFailure::kMissing) return;  // the usual case
  constexpr const char* kRead[] = {"policy.json", "profiles", "images"};
  for (const char* const name : kRead) {
    std::string path = JoinPath(directory, name);
    const Lookup& lookup = walker.LookAt(path);
    if (lookup.Is(FileType::kSymlink) || (!lookup.status && lookup.failure != LookupFailure::kMissing))
      places.push_back({.path = std::move(path), .denied = false});
  }
  const std::string profiles = JoinPath(directory, "profiles");
  const Result<Walked> walked = walker.Walk(profiles);
  if (!walked || !walked->Is(FileType::kDirectory)) return;
  const Result<std::vector<DirectoryEntry>> entries =
      host.ListEntries(walked->path, [](std::string_view name) { return name.ends_with(".json"); });
  if (!entries) places.push_back({.path = profiles, .denied = false, .unlisted = true});
  for (std::size_t i = 0; entries && i < entries->size(); ++i) {
    const DirectoryEntry& entry = (*entries)[i];
    if (entry.type == FileType::kSymlink)
      places.push_back({.path = JoinPath(profiles, entry.name), .denied = false});
  }
}

// The directory for temporary files of the run under Landlock alone in which this call runs.
std::optional<std::string> OuterTemp(const Host& host, PathWalker& walker) {
  const std::optional<std::string> named = host.Environment("TMPDIR");
  if (!IsAbsolute(named)) return std::nullopt;
  const Result<Walked> temp = walker.Walk(*named);
  if (!temp || !temp->Is(FileType::kDirectory)) return std::nullopt;
  for (const char* const base : kTempBases) {
    const Result<Walked> above = walker.Walk(base);
    if (above && IsBelow(temp->path, TempPlaceIn(above->path, host.Caller().uid))) return temp->path;
  }
  return std::nullopt;
}

// The place in use, and those that calls with other environments have created.
void AddTempPlaces(const Host& host, PathWalker& walker, std::vector<OwnPlace>& places) {
  const std::uint32_t uid = host.Caller().uid;
  const std::string used = FindTempPlace(host, walker);
  const std::string outer = OuterTemp(host, walker).value_or("");
  for (const char* const base : kTempBases) {
    if (IsNeverFromHost(base)) continue;
    std::string path = TempPlaceIn(base, uid);
    if (path == used || walker.LookAt(path).status)
      places.push_back({.path = std::move(path), .shown = outer});
  }
  if (!outer.empty()) places.push_back({.path = used});
}

std::vector<OwnPlace> CallersPlaces(const Host& host, PathWalker& walker) {
  const std::uint32_t uid = host.Caller().uid;
  std::vector<OwnPlace> places = {{.path = FixedRuntimePlace(uid)}, {.path = SessionRuntimePlace(uid)}};
  AddTempPlaces(host, walker, places);
  // Settings and profiles of later calls, regardless of this call's environment.
  const auto keep = [&places](std::string path) {
    places.push_back({.path = std::move(path), .denied = false});
  };
  for (const std::string& home : WrittenHomes(host)) {
    keep(JoinPath(home, ".config/mxc-exec"));
    if (uid == 0) continue;
    for (const char* below : {".local/share/mxc-exec", ".cache/mxc-exec", ".cache/lxc/download"})
      keep(JoinPath(home, below));
  }
  if (const auto config = host.Environment("XDG_CONFIG_HOME"); IsAbsolute(config))
    keep(JoinPath(*config, "mxc-exec"));
  if (uid == 0)
    for (const char* path :
         {"/var/lib/mxc-exec", "/var/cache/mxc-exec", "/var/cache/lxc/download", "/etc/mxc-exec"})
      keep(path);
  for (std::size_t i = 0, known = places.size(); i < known; ++i) {
    if (!places[i].denied) AddLinksIn(host, walker, std::string(places[i].path), places);
  }
  return places;
}

// The user whose number follows `prefix` in `name`.
std::optional<std::uint32_t> UserIn(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint32_t uid = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), uid);
  const bool number = read.ec == std::errc{} && std::to_string(uid) == name;
  return number && uid != 0 ? std::optional(uid) : std::nullopt;
}

class OthersPlaces {
 public:
  OthersPlaces(const Host& host, PathWalker& walker) : host_(host), walker_(walker) {}

  // Finds the places of the users after whom entries of `directory` are named.
  void FindIn(const std::string& directory, std::string_view prefix) {
    if (!walker_.LookAt(directory).status) return;
    const Result<std::vector<DirectoryEntry>> entries =
        host_.ListEntries(directory, [&](std::string_view name) { return name.starts_with(prefix); });
    if (!entries) return;  // an outer sandbox denies it to root, and hides its entries
    for (const DirectoryEntry& entry : *entries) {
      if (const std::optional<std::uint32_t> uid = UserIn(entry.name, prefix)) AddOf(*uid);
    }
  }
  [[nodiscard]] std::vector<std::string> Take() { return std::move(paths_); }

 private:
  void AddOf(std::uint32_t uid) {
    Add(SessionRuntimePlace(uid), uid);
    Add(FixedRuntimePlace(uid), uid);
    for (const char* const base : kTempBases)
      if (!IsNeverFromHost(base)) Add(TempPlaceIn(base, uid), uid);
  }
  void Add(const std::string& place, std::uint32_t uid) {
    constexpr std::uint32_t kForOthers = 077;
    const Result<Walked> above = walker_.Walk(ParentOf(place));
    if (!above) return;
    std::string path = JoinPath(above->path, NameOf(place));
    const Lookup& lookup = walker_.LookAt(path);
    const bool used = lookup.Is(FileType::kDirectory) && lookup.status->uid == uid &&
                      (lookup.status->mode & kForOthers) == 0;
    if (used) paths_.push_back(std::move(path));
  }

  const Host& host_;
  PathWalker& walker_;
  std::vector<std::string> paths_ = {};
};

constexpr const char* kPrograms[] = {"mxc-exec", "mxc-sh", "lxc-exec"};

// The package that `file` is in, directly below this `node_modules`.
std::string PackageOf(std::string_view modules, std::string_view file) {
  const std::string_view package = NextOnTheWay(modules, file);
  return std::string(NameOf(package).starts_with('@') ? NextOnTheWay(package, file) : package);
}

// The program at this path and the programs beside it. Below `node_modules` also its package, whose
// package.json says what node finds in it, and the package that starts it.
void AddProgram(const std::string& program, std::vector<std::string>& packages,
                std::vector<std::string>& files) {
  files.push_back(program);
  const std::string directory{ParentOf(program)};
  for (const char* const beside : kPrograms) files.push_back(JoinPath(directory, beside));
  files.push_back(JoinPath(directory, "libmxc_ffi.so"));
  bool nearest = true;
  for (std::string_view above = directory; above != "/"; above = ParentOf(above)) {
    if (NameOf(above) != "node_modules") continue;
    if (nearest && NameOf(directory) == "bin") packages.push_back(PackageOf(above, program));
    nearest = false;
    packages.push_back(JoinPath(above, "mxc-exec"));
    for (const char* const started : {".bin/mxc-exec", ".bin/mxc-sh"})
      files.push_back(JoinPath(above, started));
  }
}

}  // namespace

std::string FindTempPlace(const Host& host, PathWalker& walker) {
  const std::uint32_t uid = host.Caller().uid;
  if (const std::optional<std::string> outer = OuterTemp(host, walker)) return TempPlaceIn(*outer, uid);
  const auto* const base =
      std::find_if(std::begin(kTempBases), std::end(kTempBases),
                   [&](const char* directory) { return host.MayMakeFilesIn(directory); });
  return base == std::end(kTempBases) ? "" : TempPlaceIn(*base, uid);
}

std::vector<OwnPlace> FindOwnPlaces(const Host& host, PathWalker& walker) {
  std::vector<OwnPlace> places = CallersPlaces(host, walker);
  if (!host.Caller().IsRoot()) return places;
  OthersPlaces others(host, walker);
  const std::string_view prefix = kFixedPlacePrefix;
  others.FindIn(std::string(ParentOf(prefix)), NameOf(prefix));
  others.FindIn(kSessionDirectories, "");
  for (const char* const base : kTempBases)
    if (!IsNeverFromHost(base)) others.FindIn(base, kTempPlacePrefix);
  std::vector<std::string> paths = others.Take();
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  for (std::string& path : paths) places.push_back({.path = std::move(path)});
  return places;
}

std::vector<std::string> FindOwnFiles(const Host& host) {
  std::vector<std::string> packages;
  std::vector<std::string> files;
  if (const Result<std::string> program = host.ReadLink("/proc/self/exe");
      program && program->starts_with('/'))
    AddProgram(*program, packages, files);
  if (const std::optional<std::string> called = host.CalledAs()) AddProgram(*called, packages, files);
  // The next call may find another link or copy.
  const std::string search = host.Environment("PATH").value_or("");
  for (std::string_view rest = search; !rest.empty();) {
    std::string directory{TakePiece(rest, ':')};
    if (!directory.starts_with('/')) directory = host.WorkingDirectory() + "/" + directory;
    if (!directory.starts_with('/')) continue;
    for (const char* const name : kPrograms) files.push_back(JoinPath(directory, name));
  }
  // Before their contents, for which these directories would only be pinned.
  std::sort(packages.begin(), packages.end(), PathBefore);
  files.insert(files.begin(), packages.begin(), packages.end());
  return files;
}

}  // namespace mxc
