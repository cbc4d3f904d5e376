#include <fmt/format.h>

#include <algorithm>
#include <utility>

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
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    Row(line);
  }
}

std::string ExplainPage::Take() { return std::exchange(text_, {}); }

}  // namespace mxc
