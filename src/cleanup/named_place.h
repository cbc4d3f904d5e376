// A name in an open directory, for what is renamed or made where a command could have put a link.
#pragma once

#include <string>

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
