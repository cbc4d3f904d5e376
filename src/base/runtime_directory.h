// What a user's runs leave for each other to find: a directory that only that user can use, gone with the
// session or the next boot.
#pragma once

#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

// What LXC keeps of the caller's containers is below: `lxc-info -P` and its like find them there.
inline constexpr const char* kLxcBelow = "/.lxc";

// Notes of what is to be approved (review/approval.h).
inline constexpr const char* kApprovalNotes = ".approvals";

struct RuntimeDirectory {
  UniqueFd descriptor = {};
  std::string path = {};

  // Where $XDG_RUNTIME_DIR is ours alone, its place (base/runtime_places.h); else the fixed one. Made when
  // missing. Errors: kSetupFailed, also for a directory that is not ours alone.
  [[nodiscard]] static Result<RuntimeDirectory> Open();
  // All of these that there are: which of them Open chooses depends on the environment of the call.
  [[nodiscard]] static std::vector<RuntimeDirectory> Existing();
};

}  // namespace mxc
