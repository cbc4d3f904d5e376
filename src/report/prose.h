// Text for people at a terminal: colours, and tables that fit 80 columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mxc {

inline constexpr std::size_t kTerminalColumns = 80;

enum class Style { kPlain, kStrong, kError, kWarning, kGood };

// `text` between the sequences that switch a style on and off.
[[nodiscard]] std::string Styled(std::string_view text, Style style, bool colours);

// Broken at blanks so that no line is wider than `width`, where no word is.
[[nodiscard]] std::vector<std::string> WrappedAt(std::string_view text, std::size_t width);

struct Cell {
  std::string text = {};
  Style style = Style::kPlain;
};
// A row a line, or several where the last column does not fit. The first row is the heading. Rows are of one
// length.
[[nodiscard]] std::string TableText(const std::vector<std::vector<Cell>>& rows, bool colours);

}  // namespace mxc
