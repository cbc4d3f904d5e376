// All names of one object: the paths that bind mounts, file systems mounted twice and layers of overlays give
// it.
//
//   MountNames names(mounts, walker);
//   names.OthersOf("/srv/a/secret")  // {"/mnt/bound/secret"}
//
// Derived from the kernel's list of mounts alone, so it covers paths that do not exist as well.
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

  // Whether any object has two names.
  [[nodiscard]] bool Any() const { return any_; }
  // The mount that contains `path`; nullptr if no mount point is at or above it.
  [[nodiscard]] const Mount* At(std::string_view path) const;
  // Every other path of the object that is, or would be, at the canonical `path`. Absent if they exceed the
  // bound of limits.h.
  [[nodiscard]] std::optional<std::vector<std::string>> OthersOf(const std::string& path) const;
  // Mounts that are not hidden by others, in the kernel's order.
  [[nodiscard]] const std::vector<const Mount*>& Visible() const { return visible_; }

 private:
  // A path in a file system, independent of mount points.
  struct Location {
    std::string volume = {};
    std::string path = {};
  };
  struct Layer {
    std::string volume = {};  // that shows it
    std::string path = {};    // canonical
  };
  // A layer named by a path relative to the working directory of the process that mounted it, which is
  // unknown.
  struct RelativeLayer {
    std::string volume = {};
    std::string path = {};  // as written
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
