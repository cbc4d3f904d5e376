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

// A command under Landlock alone can change the modes of the caller's files outside of its grants as well.
// Gives what has this name in the open directory its mode back, if it is the caller's own; follows no link.
void TakeModeBack(int borrowed_directory, const std::string& name, unsigned mode);
// A regular file of the caller's that has no other name, for reading, its mode taken back where it cannot be
// read. -1: errno, EPERM if it is another's, ENOENT if there is none.
[[nodiscard]] UniqueFd OpenKept(int borrowed_directory, const std::string& name);

// One of the caller's gets its mode back when it is opened. Others could write there in between: whoever
// reads a file in it, or connects to a socket, asks whose that is.
struct RuntimeDirectory {
  UniqueFd descriptor = {};
  std::string path = {};

  // Where $XDG_RUNTIME_DIR is ours alone, its place (base/runtime_places.h); else the fixed one. Made when
  // missing. Errors: kSetupFailed, also for a directory that is not ours alone.
  [[nodiscard]] static Result<RuntimeDirectory> Open();
  // `path` is of TempPlaceIn; made when missing. Errors: as of Open.
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

  // A directory of the caller's alone below this one, made when missing. Errors: as of Open.
  [[nodiscard]] Result<UniqueFd> MakeBelow(const std::string& name) const;
};

}  // namespace mxc
