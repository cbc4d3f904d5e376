// A name in an open directory, for what is renamed or made where a command could have put a link.
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

// `path` is canonical. No link is followed on the way. `make`: directories that are missing. Errors:
// kSetupFailed.
[[nodiscard]] Result<NamedPlace> OpenPlace(const std::string& path, bool make = false);

// "NAME.untrusted", with `random` at its end: the command may have taken every name that can be foreseen.
[[nodiscard]] std::string NameAside(const std::string& name, const std::string& random);
// Renames it to such a name for `wanted`, in the same directory or another: that name. Errors: kSetupFailed.
[[nodiscard]] Result<std::string> RenameAside(int borrowed_from, const std::string& name, int borrowed_to,
                                              const std::string& wanted);

// Adds the names in a directory. -1 with errno: EFBIG when there are more than `limit`.
[[nodiscard]] int ListNames(int borrowed_directory, std::size_t limit, std::vector<std::string>& names);

// The command may have taken the right to write in a directory away from us; not more than it has itself.
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
