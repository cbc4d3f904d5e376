#include <fcntl.h>
#include <io.h>

#include <cerrno>

#include "base/unique_fd.h"
#include "document/source.h"
#include "win32/wide_windows.h"

namespace mxc {

Result<Source> ReadFileSource(const std::string& path) {
  const UniqueFd file{::_wopen(Wide(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT)};
  if (!file) return SystemError(ErrorCode::kMalformed, "Cannot read config '" + path + "'", errno);
  return ReadDescriptorSource(file.Get(), path);
}

}  // namespace mxc
