#include <fmt/format.h>

#include <utility>

#include "base/lists.h"
#include "base/quoted.h"
#include "mxc/backend.h"

namespace mxc {

void ExplainPage::Section(std::string_view title) { text_ += fmt::format("{}\n", title); }

void ExplainPage::Line(std::string_view name, std::string_view value) {
  text_ += fmt::format("{:<14}{}\n", name, Escaped(value));
}

void ExplainPage::Row(std::string_view line) {
  text_ += fmt::format("  {}\n", Escaped(line.substr(0, line.find_last_not_of(' ') + 1)));
}

void ExplainPage::Rows(std::string_view text) {
  while (!text.empty()) {
    const std::string_view line = TakePiece(text, '\n');
    Row(line);
  }
}

std::string ExplainPage::Take() { return std::exchange(text_, {}); }

}  // namespace mxc
