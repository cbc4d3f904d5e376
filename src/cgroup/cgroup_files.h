// Files of a control group: a line in, a text out.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/unique_fd.h"

namespace mxc {

// False with errno when the kernel does not take it.
inline bool WriteGroupFile(const std::string& path, const std::string& value) {
  const UniqueFd file{::open(path.c_str(), O_WRONLY | O_CLOEXEC)};
  return file && ::write(file.Get(), value.data(), value.size()) == static_cast<ssize_t>(value.size());
}

// Empty when there is none.
inline std::string ReadGroupFile(const std::string& path) {
  const UniqueFd file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t count = 1; file && count > 0;) {
    count = ::read(file.Get(), buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace mxc
