// Lists in one text: "a|b|c*", and what stands between separators.
#pragma once

#include <algorithm>
#include <string_view>

namespace mxc {

// Takes what stands before the next of `separators`, a character or a text of several, and that one, off
// `rest`.
template <class Separators>
[[nodiscard]] std::string_view TakePiece(std::string_view& rest, Separators separators) {
  const std::string_view piece = rest.substr(0, rest.find_first_of(separators));
  rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
  return piece;
}

// `word` is one of "a|b|c*": a name that ends in "*" is the beginning of one.
[[nodiscard]] inline bool IsOneOf(std::string_view word, std::string_view list) {
  while (!list.empty()) {
    std::string_view name = TakePiece(list, '|');
    const bool begins = name.ends_with('*');
    if (begins) name.remove_suffix(1);
    if (begins ? word.starts_with(name) : word == name) return true;
  }
  return false;
}

}  // namespace mxc
