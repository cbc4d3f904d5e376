// Reading a configuration from a file or a descriptor.
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/unique_fd.h"
#include "document/source.h"
#include "mxc/limits.h"

namespace mxc {

Result<Source> ReadDescriptorSource(int borrowed_fd, std::string name) {
  Source source{.name = std::move(name)};
  std::array<char, 16384> buffer;  // NOLINT(*-member-init): each page that is touched costs a fault
  for (;;) {
    const ssize_t count = ::read(borrowed_fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return SystemError(ErrorCode::kMalformed, "Cannot read config '" + source.name + "'", errno);
    if (count == 0) return source;
    if (source.bytes.size() + static_cast<std::size_t>(count) > kMaxDocumentBytes) {
      return Error{.code = ErrorCode::kMalformed,
                   .message = "The configuration '" + source.name + "' is larger than " +
                              std::to_string(kMaxDocumentBytes) + " bytes"};
    }
    source.bytes.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Result<Source> ReadFileSource(const std::string& path) {
  // A FIFO is welcome: `mxc-exec <(generate-config)`.
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
  if (!file) return SystemError(ErrorCode::kMalformed, "Cannot read config '" + path + "'", errno);
  return ReadDescriptorSource(file.Get(), path);
}

}  // namespace mxc
