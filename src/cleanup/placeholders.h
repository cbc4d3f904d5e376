// Placeholders at denied and protected paths that do not exist, so that the sandbox can mount over them. The
// cleanup process creates and removes them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/plan.h"

namespace mxc {

// A placeholder with our shared lock on it. Every run that masks the file has one: unlinking it would remove
// the mask of another run, because the kernel unmounts what is mounted on an unlinked name. Its directory
// stays open, so that the right file is removed even if the directory was moved.
struct HeldFile {
  Placeholder placeholder = {};
  UniqueFd directory = {};
  std::string name = {};
  UniqueFd file = {};
};

// Creates placeholders with their modes, or shares those of other runs. Stops at the first that fails:
// returns its index and sets errno; list.size() if all exist.
[[nodiscard]] std::size_t HoldFiles(const std::vector<Placeholder>& list, std::vector<HeldFile>& held);
// Finds placeholders that exist already; creates and locks none.
void FindFiles(const std::vector<Placeholder>& list, std::vector<HeldFile>& found);
// Removes a file that looks like a placeholder and that no run has locked: a run left it, or a command
// created it. Policies treat both as missing. False: it is something else, or it is locked.
bool RemoveStalePlaceholder(int borrowed_directory, const std::string& name);
// Removes each that is unchanged and empty, and that no other run has locked.
void ReleaseFiles(const std::vector<HeldFile>& held);

}  // namespace mxc
