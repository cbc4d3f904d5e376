// The files that mxc-exec writes itself for its caller, with words of the caller's: no sandbox bounds these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ceiling/ceiling.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

struct WrittenFile {
  std::string name = {};  // "--result", "audit path": for messages
  std::string path = {};  // empty: none is written
  std::string pointer = {};
};

// None of them is where the ceiling's `deniedPaths` deny, by its path or as an object. Its grants are those
// of commands and bound no file of ours. Errors: kConflict.
[[nodiscard]] Status CheckFilesWithin(const std::optional<Ceiling>& ceiling,
                                      const std::vector<WrittenFile>& files, const Host& host);

}  // namespace mxc
