#include "report/redact_window.h"

#include <algorithm>
#include <cstddef>

namespace mxc {
namespace {

constexpr char kPlain = 0;
constexpr char kMarked = 1;

}  // namespace

void RedactWindow::Append(std::string_view bytes) {
  bytes_.append(bytes);
  marks_.append(bytes.size(), kPlain);
}

void RedactWindow::Mark(std::uint64_t from, std::uint64_t to) {
  const auto index = [this](std::uint64_t place) {
    return static_cast<std::ptrdiff_t>(std::max(place, written_) - written_);
  };
  std::fill(marks_.begin() + index(from), marks_.begin() + index(to), kMarked);
}

void RedactWindow::WriteUpTo(std::uint64_t place, std::string& out) {
  const std::size_t size = place > written_ ? static_cast<std::size_t>(place - written_) : 0;
  const std::string_view marks = std::string_view(marks_).substr(0, size);
  for (std::size_t at = 0; at < size;) {
    const bool marked = marks[at] == kMarked;
    const std::size_t end = std::min(marks.find(marked ? kPlain : kMarked, at), size);
    if (!marked) out.append(bytes_, at, end - at);
    if (marked && !in_mark_) out.append(kRedacted);
    in_mark_ = marked;
    at = end;
  }
  bytes_.erase(0, size);
  marks_.erase(0, size);
  written_ += size;
}

}  // namespace mxc
