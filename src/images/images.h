// Images that this machine has already: root file systems of distributions. Nothing is fetched from anywhere.
//
//   Result<std::string> root = FindImage(host, {.distribution = "alpine", .release = "3.23"});
#pragma once

#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

struct ImageName {
  std::string distribution = {};
  std::string release = {};
};

// Where the caller's images may be. Root's are root's alone: no variable of its environment chooses them.
struct ImagePlaces {
  std::vector<std::string> directories = {};  // DISTRIBUTION/RELEASE below is a root file system
  std::vector<std::string> archives =
      {};                     // DISTRIBUTION/RELEASE/ARCHITECTURE/default/rootfs.tar.xz, as LXC keeps them
  std::string unpacked = {};  // ours, for the latter; empty: an ordinary caller without HOME
};
[[nodiscard]] ImagePlaces ImagePlacesOf(const Host& host);

// The directory of its root file system. What LXC has downloaded is unpacked once, in a sandbox, into a
// directory that is the caller's alone; two callers at a time wait for each other. Errors: kSchema for a name
// that is none, kConflict for a symbolic link below the place that an image is looked for in, kUnavailable
// with pointer "/lxc" when this machine has no such image, kSetupFailed when it cannot be unpacked.
[[nodiscard]] Result<std::string> FindImage(const Host& host, const ImageName& name);

// The archive `archive` as a directory below `cache`, under a name that no other archive gets.
[[nodiscard]] Result<std::string> UnpackImage(const Host& host, const std::string& archive,
                                              const std::string& cache);

}  // namespace mxc
