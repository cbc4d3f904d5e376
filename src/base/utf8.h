// Text as the characters it is made of.
#pragma once

#include <cstddef>
#include <string_view>

namespace mxc {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;  // UTF-8; else one byte that belongs to no character
};

// The first of `text`, which is not empty.
[[nodiscard]] Character FirstCharacter(std::string_view text);

}  // namespace mxc
