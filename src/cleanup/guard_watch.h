// Tells, by inotify, when the command may have changed what GuardedPaths guards. It misses writes through a
// mapping, and everything once the user has no watches left: the caller has to compare now and then as well.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "base/unique_fd.h"
#include "cleanup/guarded_paths.h"

namespace mxc {

class GuardWatch {
 public:
  // Watches nothing where `guarded` is empty.
  explicit GuardWatch(const GuardedPaths& guarded);

  // Readable when there are events; -1 without a watch.
  [[nodiscard]] int Descriptor() const { return inotify_.Get(); }
  // Reads the events. True: one concerns a guarded path.
  [[nodiscard]] bool Take();
  // Watches the objects that are at the paths now.
  void Renew();

 private:
  const GuardedPaths& guarded_;
  UniqueFd inotify_ = {};
  std::set<std::string, std::less<>> names_ = {};
  std::set<int> objects_ = {};  // watches of what is guarded itself
};

}  // namespace mxc
