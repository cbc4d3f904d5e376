// What --report says of files, in the same words for a run and for a command of a persistent sandbox.
#pragma once

#include <gmock/gmock.h>

#include <string>

namespace mxc::test {

// A denied file and one that nothing grants were read, one below a read-only grant was written.
inline auto TellsThreeDenials(const std::string& denied, const std::string& hidden,
                              const std::string& read_only) {
  using testing::HasSubstr;
  return testing::AllOf(
      HasSubstr("mxc-exec: files: 3 denied\n"),
      HasSubstr("'" + denied + "' (read): denied\n    decided by /filesystem/deniedPaths/0\n"),
      HasSubstr("'" + hidden + "' (read): nothing of the policy grants it\n    to allow it, add '" + hidden +
                "' to filesystem.readonlyPaths\n"),
      HasSubstr("'" + read_only + "' (write): read-only\n    decided by /filesystem/readonlyPaths/0\n"));
}

}  // namespace mxc::test
