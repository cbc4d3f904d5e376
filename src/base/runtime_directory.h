// Directories that only their user can use: what a user's runs leave for each other to find, gone with the
// session or the next boot, and where runs under Landlock alone have their temporary files.
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
  // `path` is of TempPlaceIn; made when missing. Errors: as of Open. What it holds is never believed, so that
  // one of the caller's only gets its mode back: a command under Landlock alone can change modes outside of
  // its grants.
  [[nodiscard]] static Result<RuntimeDirectory> OpenTempPlace(const std::string& path);
  // Those of the caller's that there are, below all of kTempBases.
  [[nodiscard]] static std::vector<RuntimeDirectory> ExistingTempPlaces();
  // All that Open can choose from that there are: which of them it chooses depends on the environment of the
  // call.
  [[nodiscard]] static std::vector<RuntimeDirectory> Existing();
  // And those that calls in any other environment can have chosen.
  [[nodiscard]] static std::vector<RuntimeDirectory> OfAllCalls();
  // For what a later call must find whatever its environment: the fixed place, or the session's where
  // somebody else has taken the name of that. Made when missing. Errors: as of Open.
  [[nodiscard]] static Result<RuntimeDirectory> OpenForRecords();
  // All that OpenForRecords can choose from that there are.
  [[nodiscard]] static std::vector<RuntimeDirectory> ExistingForRecords();
};

}  // namespace mxc
