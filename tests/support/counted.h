// Bytes of protocols that write a length in front of a content.
#pragma once

#include <cstddef>
#include <string>

namespace mxc::test {

// `content` behind its length in `width` bytes, the highest first.
inline std::string Counted(std::size_t width, const std::string& content) {
  std::string out;
  for (std::size_t i = width; i > 0; --i) out += static_cast<char>(content.size() >> (8 * (i - 1)));
  return out + content;
}

}  // namespace mxc::test
