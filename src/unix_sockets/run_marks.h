// Runs of one caller find each other while they last: what a command makes while another one goes on stood
// there before the other began, for the comparison at the end of each. A mark is an abstract socket: it goes
// with the process, however that ends, and leaves nothing on the disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace mxc {

class RunMark {
 public:
  // Of a run whose comparison of `roots`, canonical, began at `since`, Host::Time(); no mark without it. Seen
  // by the runs of this user in this network namespace until the mark ends: longer than the comparison at the
  // end.
  [[nodiscard]] static RunMark Set(std::optional<std::uint64_t> since, const std::vector<std::string>& roots);

 private:
  UniqueFd socket_ = {};
};

// The least `since` of the marks that stand and have a root at, above or below one of `roots`. Marks of other
// users do not count.
[[nodiscard]] std::optional<std::uint64_t> OldestRunMark(const std::vector<std::string>& roots);

}  // namespace mxc
