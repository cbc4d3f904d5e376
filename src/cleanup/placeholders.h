// What stands at denied and protected paths that do not exist, so that the sandbox can mount over them. Made
// and removed by the cleanup process.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/plan.h"

namespace mxc {

// A placeholder with our shared lock on it. Every run that masks the file holds one: unlinking it would take
// the mask of another run away, because the kernel unmounts what stands on a name that goes.
// Its directory is held open, so that what is removed is what was made, wherever the directory has gone.
struct HeldFile {
  Placeholder placeholder = {};
  UniqueFd directory = {};
  std::string name = {};
  UniqueFd file = {};
};

// With modes of their own, shared with other runs that need the same. Stops at the first that fails: returns
// its index and sets errno; list.size() when all stand.
[[nodiscard]] std::size_t HoldFiles(const std::vector<Placeholder>& list, std::vector<HeldFile>& held);
// Those that stand already, without making any and without a lock of ours.
void FindFiles(const std::vector<Placeholder>& list, std::vector<HeldFile>& found);
// What stands there looks like one, of whatever kind, and no run holds it: it was left, or a command has made
// it so. Policies take no notice of any. False: it is something else, or somebody holds it.
bool RemoveStalePlaceholder(int borrowed_directory, const std::string& name);
// Removes each that is still the same, with nothing new in it, and that no other run holds.
void ReleaseFiles(const std::vector<HeldFile>& held);

}  // namespace mxc
