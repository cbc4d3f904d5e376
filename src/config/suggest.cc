#include "config/suggest.h"

#include <algorithm>
#include <numeric>

namespace mxc {
namespace {

constexpr std::size_t kMaxWord = 64;  // longer ones are no typing mistakes

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// Levenshtein distance, letters compared without case.
std::size_t Distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (Lower(a[i]) == Lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view Nearest(std::string_view word, const std::vector<std::string_view>& choices) {
  if (word.size() > kMaxWord) return {};
  std::string_view nearest;
  std::size_t least = 0;
  for (const std::string_view choice : choices) {
    const std::size_t distance = Distance(word, choice);
    const std::size_t limit = std::max<std::size_t>(1, std::max(word.size(), choice.size()) / 3);
    if (distance <= limit && (nearest.empty() || distance < least)) {
      nearest = choice;
      least = distance;
    }
  }
  return nearest;
}

}  // namespace mxc
