// Lets overlapping runs of one user find each other. The comparison at the end of a run must treat what an
// overlapping run's command has made as new, although it may have existed before this run began. A mark is an
// abstract socket: it disappears with its process, however that ends, and leaves nothing on disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace mxc {

class RunMark {
 public:
  // For a run whose comparison of `roots` (canonical) began at `since` (Host::Time()); without it, no mark is
  // set. Runs of this user in this network namespace see the mark until it is destroyed, which must be after
  // the comparison at the end.
  [[nodiscard]] static RunMark Set(std::optional<std::uint64_t> since, const std::vector<std::string>& roots);

 private:
  UniqueFd socket_ = {};
};

// The earliest `since` of this user's marks that have a root at, above or below one of `roots`. Marks of
// other users are ignored.
[[nodiscard]] std::optional<std::uint64_t> OldestRunMark(const std::vector<std::string>& roots);

}  // namespace mxc
