// All names of one object: what bind mounts, file systems that are mounted twice and layers of overlays show
// again under another path.
//
//   MountNames names(mounts, walker);
//   names.OthersOf("/srv/a/secret")  // {"/mnt/bound/secret"}
//
// Told from the kernel's list of mounts alone, so it holds for paths that do not exist, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policy/paths/mounts.h"
#include "policy/paths/paths.h"

namespace mxc {

class MountNames {
 public:
  MountNames(std::vector<Mount> mounts, PathWalker& walker);
  MountNames(const MountNames&) = delete;
  MountNames& operator=(const MountNames&) = delete;

  // Whether any object has two names at all.
  [[nodiscard]] bool Any() const { return any_; }
  // The mount that shows at `path`; nullptr when "/" itself is no mount point and none stands in between.
  [[nodiscard]] const Mount* At(std::string_view path) const;
  // Every other path of what stands, or would stand, at the canonical `path`. Nothing, when there are more
  // than limits.h allows.
  [[nodiscard]] std::optional<std::vector<std::string>> OthersOf(const std::string& path) const;
  // Mounts that something can be reached through, in the kernel's order.
  [[nodiscard]] const std::vector<const Mount*>& Visible() const { return visible_; }

 private:
  // A place in a file system, whatever is mounted where.
  struct Location {
    std::string volume = {};
    std::string path = {};
  };
  struct Layer {
    std::string volume = {};  // that shows it
    std::string path = {};    // canonical
  };
  // Named by a path relative to the working directory of whoever mounted it, which nothing tells of.
  struct RelativeLayer {
    std::string volume = {};
    std::string path = {};  // as it was written
  };
  class Search;

  void FindVisible();
  void FindLayers(const Mount& mount, PathWalker& walker);
  [[nodiscard]] std::optional<Location> LocationOf(std::string_view path) const;

  std::vector<Mount> mounts_;
  std::vector<const Mount*> visible_ = {};
  std::unordered_map<std::string, const Mount*> by_path_ = {};                 // of the visible ones
  std::unordered_map<std::string, std::vector<const Mount*>> by_volume_ = {};  // as well
  std::vector<Layer> layers_ = {};
  std::vector<RelativeLayer> relative_ = {};
  bool any_ = false;
};

}  // namespace mxc
