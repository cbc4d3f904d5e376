// Tells when the command may have changed what GuardedPaths holds. What it misses is found when the run ends.
#pragma once

#include <set>

#include "base/unique_fd.h"
#include "cleanup/guarded_paths.h"

namespace mxc {

class GuardWatch {
 public:
  // Watches nothing where `guarded` is empty.
  explicit GuardWatch(const GuardedPaths& guarded);

  // Readable when something has happened; -1 without a watch.
  [[nodiscard]] int Descriptor() const { return inotify_.Get(); }
  // False: the kernel gave fewer watches than are needed, which it counts for each user. Somebody has to look
  // now and then.
  [[nodiscard]] bool Complete() const { return complete_; }
  // Takes what has happened. True: it concerns what is guarded.
  [[nodiscard]] bool Take();
  // Watches what stands at the paths now.
  void Renew();

 private:
  const GuardedPaths& guarded_;
  UniqueFd inotify_ = {};
  bool complete_ = true;
  std::set<int> trees_ = {};  // watches of directories that are guarded as a whole
};

}  // namespace mxc
