#include "policy/paths/mount_names.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/lists.h"
#include "base/path.h"
#include "mxc/limits.h"

namespace mxc {
namespace {

bool IsNetwork(std::string_view type) {
  return type == "nfs" || type == "nfs4" || type == "ceph" || type == "9p" || type == "virtiofs" ||
         type == "cifs" || type == "smb3";
}

// "/path" of "server:/path"; "" for a word.
std::string_view ExportOf(std::string_view source) {
  const std::size_t at = source.rfind(":/");
  return at == std::string_view::npos ? std::string_view{} : source.substr(at + 1);
}

// Equal for all mounts of one file system. Mounts of one network export may have different devices.
std::string VolumeOf(const Mount& mount) {
  if (!IsNetwork(mount.type)) return std::to_string(mount.device);
  const std::string_view exported = ExportOf(mount.source);
  return mount.type.substr(0, 3) + " " + mount.source.substr(0, mount.source.size() - exported.size());
}

// The part of the volume that a mount shows.
std::string RootOf(const Mount& mount) {
  return IsNetwork(mount.type) ? FoldLexically(std::string(ExportOf(mount.source)) + "/" + mount.root)
                               : mount.root;
}

// `path`, at or below `above`, moved to `other`.
std::string Moved(std::string_view path, std::string_view above, std::string_view other) {
  std::string_view rest = path.substr(above == "/" ? 0 : above.size());
  if (rest.starts_with('/')) rest.remove_prefix(1);
  return rest.empty() ? std::string(other) : JoinPath(other, rest);
}

// The directories that an option of overlay names: "/a:/b\:c::/data".
void AddPaths(std::string_view list, std::vector<std::string>& paths) {
  std::string path;
  const auto end = [&] {
    if (!path.empty()) paths.push_back(std::exchange(path, {}));
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size()) {
      path += list[++i];
    } else if (list[i] == ':') {
      end();
    } else {
      path += list[i];
    }
  }
  end();
}

// The directories that a file system shows again: layers of overlays, the lower directory of eCryptfs, and
// the source of a FUSE file system.
std::vector<std::string> LayersOf(const Mount& mount) {
  std::vector<std::string> paths;
  const bool by_source = mount.type == "ecryptfs" || mount.type == "aufs" || mount.type.starts_with("fuse");
  if (by_source && mount.source.starts_with('/') && !IsNeverFromHost(mount.source))
    paths.push_back(mount.source);
  if (mount.type != "overlay") return paths;
  for (std::string_view rest = mount.options; !rest.empty();) {
    const std::string_view option = TakePiece(rest, ", ");
    for (const std::string_view key : {"lowerdir=", "lowerdir+=", "datadir+=", "upperdir="}) {
      if (option.starts_with(key)) AddPaths(UnescapePath(option.substr(key.size())), paths);
    }
  }
  return paths;
}

using Children = std::unordered_map<std::uint64_t, std::vector<const Mount*>>;

// The children of each mount, by its ID; of 0 those whose parent is not in the list.
Children ChildrenOf(const std::vector<Mount>& mounts) {
  Children children;
  std::unordered_set<std::uint64_t> ids;
  for (const Mount& mount : mounts) ids.insert(mount.id);
  for (const Mount& mount : mounts) {
    const bool top = mount.parent == mount.id || !ids.contains(mount.parent);
    children[top ? 0 : mount.parent].push_back(&mount);
  }
  return children;
}

}  // namespace

MountNames::MountNames(std::vector<Mount> mounts, PathWalker& walker) : mounts_(std::move(mounts)) {
  // The host's /proc, /sys and /dev are never visible inside.
  FindVisible();
  for (const Mount* mount : visible_) {
    by_path_.emplace(mount->path, mount);
    if (BackingOf(*mount) == Backing::kKernel) continue;
    std::vector<const Mount*>& same = by_volume_[VolumeOf(*mount)];
    FindLayers(*mount, walker);
    same.push_back(mount);
    any_ = any_ || same.size() > 1;
  }
  const bool overlay = std::any_of(visible_.begin(), visible_.end(),
                                   [](const Mount* mount) { return mount->type == "overlay"; });
  any_ = any_ || overlay || !layers_.empty();
}

// A mount over a directory hides everything mounted below it earlier, and a mount on the root of a mount
// hides that mount.
void MountNames::FindVisible() {
  Children children = ChildrenOf(mounts_);
  std::unordered_set<const Mount*> shown;
  std::vector<std::pair<std::uint64_t, std::string_view>> pending = {{0, ""}};
  while (!pending.empty()) {
    const auto [parent, path] = pending.back();
    pending.pop_back();
    std::vector<const Mount*>& below = children[parent];
    std::stable_sort(below.begin(), below.end(), [](const Mount* left, const Mount* right) {
      return PathBefore(left->path, right->path);
    });
    const Mount* last = nullptr;
    for (const Mount* mount : below) {
      if (last != nullptr && IsAtOrBelow(mount->path, last->path) && mount->path != last->path) continue;
      last = mount;
      const auto over = [&](const Mount* other) { return other->path == mount->path; };
      const auto& stacked = children[mount->id];
      if (std::none_of(stacked.begin(), stacked.end(), over)) shown.insert(mount);
      if (mount->id != 0) pending.emplace_back(mount->id, mount->path);
    }
  }
  for (const Mount& mount : mounts_) {
    if (shown.contains(&mount)) visible_.push_back(&mount);
  }
}

// Relative layers are usually mounted from a directory above the mount point.
void MountNames::FindLayers(const Mount& mount, PathWalker& walker) {
  const std::string volume = VolumeOf(mount);
  const auto add = [&](const std::string& path) {
    const Result<Walked> walked = walker.Walk(path);
    if (walked && walked->status) layers_.push_back({.volume = volume, .path = walked->path});
  };
  for (const std::string& path : LayersOf(mount)) {
    if (path.starts_with('/')) {
      add(path);
      continue;
    }
    relative_.push_back({.volume = volume, .path = FoldLexically("/" + path)});
    for (std::string_view at = mount.path; at.size() > 1;) {
      at = ParentOf(at);
      add(FoldLexically(JoinPath(at, path)));
    }
  }
}

const Mount* MountNames::At(std::string_view path) const {
  for (;; path = ParentOf(path)) {
    const auto found = by_path_.find(std::string(path));
    if (found != by_path_.end()) return found->second;
    if (path == "/") return nullptr;
  }
}

std::optional<MountNames::Location> MountNames::LocationOf(std::string_view path) const {
  const Mount* mount = At(path);
  if (mount == nullptr) return std::nullopt;
  return Location{.volume = VolumeOf(*mount), .path = Moved(path, mount->path, RootOf(*mount))};
}

// Searches from name to location to names, until it finds no new ones.
class MountNames::Search {
 public:
  Search(const MountNames& all, const std::string& path) : all_(all) { Add(path); }

  [[nodiscard]] std::optional<std::vector<std::string>> Run() {
    for (std::size_t i = 0; i < names_.size() && i <= kMaxSecondNames; ++i) {
      const std::string name = names_[i];
      const std::optional<Location> place = all_.LocationOf(name);
      if (!place) continue;
      AddNames(*place);
      for (const Layer& layer : all_.layers_) {
        if (IsAtOrBelow(name, layer.path)) AddNames({layer.volume, Moved(name, layer.path, "/")});
        if (layer.volume == place->volume) Add(Moved(place->path, "/", layer.path));
      }
      for (const RelativeLayer& layer : all_.relative_) AddBelow(layer, name);
    }
    if (names_.size() > kMaxSecondNames) return std::nullopt;
    names_.erase(names_.begin());
    return std::move(names_);
  }

 private:
  // Each directory above `name` whose path ends with the layer's written path may be that layer.
  void AddBelow(const RelativeLayer& layer, const std::string& name) {
    for (std::string_view at = name; at.size() > 1; at = ParentOf(at)) {
      if (at.ends_with(layer.path)) AddNames({layer.volume, Moved(name, at, "/")});
    }
  }
  void AddNames(const Location& place) {
    const auto mounts = all_.by_volume_.find(place.volume);
    if (mounts == all_.by_volume_.end()) return;
    for (const Mount* mount : mounts->second) {
      const std::string root = RootOf(*mount);
      if (!IsAtOrBelow(place.path, root)) continue;
      std::string name = Moved(place.path, root, mount->path);
      if (all_.At(name) == mount) Add(std::move(name));
    }
  }
  void Add(std::string name) {
    if (seen_.insert(name).second) names_.push_back(std::move(name));
  }

  const MountNames& all_;
  std::vector<std::string> names_ = {};
  std::unordered_set<std::string> seen_ = {};
};

std::optional<std::vector<std::string>> MountNames::OthersOf(const std::string& path) const {
  return Search(*this, path).Run();
}

}  // namespace mxc
