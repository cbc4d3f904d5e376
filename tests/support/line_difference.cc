#include "tests/support/line_difference.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace mxc::test {
namespace {

using LineViews = std::vector<std::string_view>;

LineViews LinesOf(std::string_view text) {
  LineViews lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The length of the longest common subsequence of what stands from each pair of lines on.
class Common {
 public:
  Common(const LineViews& from, const LineViews& to)
      : width_(to.size() + 1), lengths_((from.size() + 1) * width_) {
    for (std::size_t i = from.size(); i-- > 0;) {
      for (std::size_t j = to.size(); j-- > 0;) {
        lengths_[i * width_ + j] =
            from[i] == to[j] ? At(i + 1, j + 1) + 1 : std::max(At(i + 1, j), At(i, j + 1));
      }
    }
  }
  std::size_t At(std::size_t i, std::size_t j) const { return lengths_[i * width_ + j]; }

 private:
  std::size_t width_;
  std::vector<std::size_t> lengths_;
};

class Writer {
 public:
  explicit Writer(const LineViews& from) : from_(from) {}

  // `new_lines` take the place of the lines from `begin` to `end`.
  void Put(std::size_t begin, std::size_t end, const LineViews& new_lines) {
    if (begin < end && !IsFound(begin)) LeadTo(begin);
    if (begin == end) LeadTo(begin);
    for (std::size_t i = begin; i < end; ++i) Append('-', from_[i]);
    for (const std::string_view line : new_lines) Append('+', line);
    next_ = end;
  }

  std::string Text() const { return text_; }

 private:
  bool IsFound(std::size_t index) const {
    const auto first = from_.begin() + static_cast<std::ptrdiff_t>(next_);
    return static_cast<std::size_t>(std::find(first, from_.end(), from_[index]) - from_.begin()) == index;
  }

  void LeadTo(std::size_t index) {
    if (index == next_) return;
    if (!IsFound(index - 1)) LeadTo(index - 1);
    Append(' ', from_[index - 1]);
    next_ = index;
  }

  void Append(char mark, std::string_view line) { text_.append(1, mark).append(line).append("\n"); }

  const LineViews& from_;
  std::size_t next_ = 0;  // where the reader stands
  std::string text_;
};

}  // namespace

std::string LineDifference(std::string_view from_text, std::string_view to_text) {
  const LineViews from = LinesOf(from_text);
  const LineViews to = LinesOf(to_text);
  const Common common(from, to);
  Writer writer(from);
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < from.size() || j < to.size()) {
    const std::size_t begin = i;
    LineViews new_lines;
    while (i < from.size() || j < to.size()) {
      if (i < from.size() && j < to.size() && from[i] == to[j]) break;
      if (j == to.size() || (i < from.size() && common.At(i + 1, j) >= common.At(i, j + 1)))
        ++i;
      else
        new_lines.push_back(to[j++]);
    }
    if (begin < i || !new_lines.empty()) writer.Put(begin, i, new_lines);
    for (; i < from.size() && j < to.size() && from[i] == to[j]; ++i) ++j;
  }
  return writer.Text();
}

std::optional<std::string> WithDifference(std::string_view from_text, std::string_view difference) {
  const LineViews from = LinesOf(from_text);
  std::string text;
  auto next = from.begin();
  for (const std::string_view line : LinesOf(difference)) {
    const std::string_view content = line.substr(std::min<std::size_t>(1, line.size()));
    if (line.starts_with('+')) {
      text.append(content).append("\n");
      continue;
    }
    const auto found = std::find(next, from.end(), content);
    if (found == from.end()) return std::nullopt;
    for (; next != found; ++next) text.append(*next).append("\n");
    if (!line.starts_with('-')) text.append(*next).append("\n");
    ++next;
  }
  for (; next != from.end(); ++next) text.append(*next).append("\n");
  return text;
}

}  // namespace mxc::test
