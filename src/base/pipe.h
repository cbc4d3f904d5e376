// Pipes, whose ends are born close-on-exec, and writing to a descriptor to the end. Not on Windows.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string_view>

#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

struct Pipe {
  UniqueFd reading = {};
  UniqueFd writing = {};
};

// Errors: kSetupFailed.
[[nodiscard]] Result<Pipe> MakePipe();

// However many calls it takes. False: errno says why, and part of it may be written.
[[nodiscard]] inline bool WriteAll(int borrowed_fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(borrowed_fd, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace mxc
