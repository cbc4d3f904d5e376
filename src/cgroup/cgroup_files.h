// Files of a control group: a line in, a text out.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

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

// The processes in the text of cgroup.procs.
inline std::vector<pid_t> MembersIn(std::string_view text) {
  std::vector<pid_t> members;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    pid_t member = 0;
    const auto [stop, error] = std::from_chars(at, end, member);
    if (error == std::errc{} && member > 0) members.push_back(member);
    at = std::find(stop, end, '\n') + 1;
  }
  return members;
}

}  // namespace mxc
