// ASCII case folding, by which protocols and Windows compare names, in any locale.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace mxc {

[[nodiscard]] constexpr char Folded(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

[[nodiscard]] inline std::string Folded(std::string_view text) {
  std::string folded{text};
  for (char& c : folded) c = Folded(c);
  return folded;
}

[[nodiscard]] inline bool EqualsFolded(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](char a, char b) { return Folded(a) == Folded(b); });
}

}  // namespace mxc
