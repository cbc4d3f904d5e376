#include <fcntl.h>

#include <cerrno>

#include "base/unique_fd.h"
#include "document/source.h"

namespace mxc {

Result<Source> ReadFileSource(const std::string& path) {
  // A FIFO is welcome: `mxc-exec <(generate-config)`.
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  if (!file) return SystemError(ErrorCode::kMalformed, "Cannot read config '" + path + "'", errno);
  return ReadDescriptorSource(file.Get(), path);
}

}  // namespace mxc
