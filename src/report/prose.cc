#include "report/prose.h"

#include <algorithm>
#include <utility>

#include "base/lists.h"

namespace mxc {
namespace {

// Select Graphic Rendition (ECMA-48).
std::string_view Sequence(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kStrong:
      return "\x1b[1m";
    case Style::kError:
      return "\x1b[1;31m";
    case Style::kWarning:
      return "\x1b[1;33m";
    case Style::kGood:
      return "\x1b[32m";
  }
  return "";
}

constexpr std::string_view kOff = "\x1b[0m";
constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 20;

// Characters of UTF-8; what we print is of width one.
std::size_t WidthOf(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::size_t> WidthsOf(const std::vector<std::vector<Cell>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<Cell>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i].text));
  }
  return widths;
}

}  // namespace

std::string Styled(std::string_view text, Style style, bool colours) {
  const std::string_view on = colours ? Sequence(style) : "";
  if (on.empty() || text.empty()) return std::string(text);
  return std::string(on) + std::string(text) + std::string(kOff);
}

std::vector<std::string> WrappedAt(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  while (!text.empty()) {
    const std::string_view word = TakePiece(text, ' ');
    if (!lines.back().empty() && WidthOf(lines.back()) + 1 + WidthOf(word) > width) lines.emplace_back();
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string TableText(const std::vector<std::vector<Cell>>& rows, bool colours) {
  const std::vector<std::size_t> widths = WidthsOf(rows);
  std::size_t indent = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) indent += widths[i] + kGap;
  const std::size_t rest = kTerminalColumns > indent + kNarrowest ? kTerminalColumns - indent : kNarrowest;
  std::string text;
  for (const std::vector<Cell>& row : rows) {
    const auto styled = [&](std::string_view part, const Cell& cell) {
      return Styled(part, &row == &rows.front() ? Style::kStrong : cell.style, colours);
    };
    std::string line;
    std::size_t blanks = 0;  // at the end of a line there are none
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      if (!row[i].text.empty()) line += std::string(std::exchange(blanks, 0), ' ');
      line += styled(row[i].text, row[i]);
      blanks += widths[i] - WidthOf(row[i].text) + kGap;
    }
    for (const std::string& part : WrappedAt(row.back().text, rest)) {
      if (!part.empty()) line += std::string(blanks, ' ');
      line += styled(part, row.back());
      text += line + "\n";
      line.clear();
      blanks = indent;
    }
  }
  return text;
}

}  // namespace mxc
