// Tells when the command may have changed what GuardedPaths holds. What is written through a mapping, it
// misses, and all when the user has no watches left: somebody has to look now and then as well.
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

  // Readable when something has happened; -1 without a watch.
  [[nodiscard]] int Descriptor() const { return inotify_.Get(); }
  // Takes what has happened. True: it concerns what is guarded.
  [[nodiscard]] bool Take();
  // Watches what stands at the paths now.
  void Renew();

 private:
  const GuardedPaths& guarded_;
  UniqueFd inotify_ = {};
  std::set<std::string, std::less<>> names_ = {};
  std::set<int> objects_ = {};  // watches of what is guarded itself
};

}  // namespace mxc
