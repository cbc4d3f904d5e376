// A name in an open directory, for renaming or creating a file where a command could have put a link.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

struct NamedPlace {
  UniqueFd directory = {};
  std::string name = {};
};

// `path` is canonical; follows no links. `make`: creates missing directories. Errors: kSetupFailed.
[[nodiscard]] Result<NamedPlace> OpenPlace(const std::string& path, bool make = false);

// chmod(2) of an open directory, also one without the right to search it.
[[nodiscard]] bool ChangeMode(int borrowed_directory, unsigned mode);

// Gives an open directory its `mode` back if the owner lacks a right of it. True: it lacked one.
[[nodiscard]] bool GiveOwnersRightsBack(int borrowed_directory, unsigned mode);

// "NAME.untrusted" and `random`: the command may have taken every name that it can foresee.
[[nodiscard]] std::string NameAside(const std::string& name, const std::string& random);
// Renames `name` to NameAside of `wanted`, in the same directory or another, and returns the new name.
// Errors: kSetupFailed.
[[nodiscard]] Result<std::string> RenameAside(int borrowed_from, const std::string& name, int borrowed_to,
                                              const std::string& wanted);

// Takes what stands at `name` away without needing room for it: renames it as RenameAside, or removes it
// where the directory cannot take another name. Returns the new name, "" if it was removed. Errors:
// kSetupFailed; it stands there still, or is an empty file.
[[nodiscard]] Result<std::string> TakeAway(int borrowed_directory, const std::string& name);
// Removes what stands at `name`, a directory with all that is in it (on Linux). False: errno.
[[nodiscard]] bool RemoveNamed(int borrowed_directory, const std::string& name);
// Truncates a regular file that has one name. False: it is no such file, or cannot be truncated.
[[nodiscard]] bool EmptyNamed(int borrowed_directory, const std::string& name);
[[nodiscard]] bool IsOfNoRoom(int number);  // ENOSPC and its like

// Adds the names in a directory. -1 with errno: EFBIG if there are more than `limit`.
[[nodiscard]] int ListNames(int borrowed_directory, std::size_t limit, std::vector<std::string>& names);

// Gives us the right to write in a directory while it lives: the command, which has our rights, may have
// taken that away.
class WritableDirectory {
 public:
  explicit WritableDirectory(int borrowed_directory);
  WritableDirectory(const WritableDirectory&) = delete;
  WritableDirectory& operator=(const WritableDirectory&) = delete;
  ~WritableDirectory();

 private:
  int directory_;
  unsigned mode_ = 0;
  bool changed_ = false;
};

}  // namespace mxc
