// Tells when the command may have changed what GuardedPaths holds. What it misses is found when the run ends.
#pragma once

#include <set>

#include "base/unique_fd.h"
#include "cleanup/guarded_paths.h"

namespace mxc {

class GuardWatch {
 public:
  // Watches nothing where `guarded` is empty, or the kernel gives no watch.
  explicit GuardWatch(const GuardedPaths& guarded);

  // Readable when something has happened; -1 without a watch.
  [[nodiscard]] int Descriptor() const { return inotify_.Get(); }
  // Takes what has happened. True: it concerns what is guarded.
  [[nodiscard]] bool Take();
  // Watches what stands at the paths now.
  void Renew();

 private:
  const GuardedPaths& guarded_;
  UniqueFd inotify_ = {};
  std::set<int> trees_ = {};  // watches of directories that are guarded as a whole
};

}  // namespace mxc
