// Empty files at denied paths that do not exist, so that the sandbox can mask them. Made and removed by the
// guardian.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace mxc {

// A placeholder with our shared lock on it. Every run that masks the file holds one: unlinking it would take
// the mask of another run away, because the kernel unmounts what stands on a name that goes.
// Its directory is held open, so that what is removed is what was made, wherever the directory has gone.
struct HeldFile {
  UniqueFd directory = {};
  std::string name = {};
  UniqueFd file = {};
};

// Files of mode kPlaceholderMode, shared with other runs that need the same. Stops at the first that fails:
// returns its index and sets errno; paths.size() when all stand.
[[nodiscard]] std::size_t HoldFiles(const std::vector<std::string>& paths, std::vector<HeldFile>& held);
// Removes each file that is still the same, and still empty, and that no other run holds.
void ReleaseFiles(const std::vector<HeldFile>& held);

}  // namespace mxc
