#include "review/find_command.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "review/path_patterns.h"

namespace mxc {
namespace {

bool IsSelective(std::string_view pattern) {
  return pattern.find_first_not_of("*?./[]$") != std::string_view::npos && !MayMatchEverything(pattern);
}

}  // namespace

bool FindDeletes(const Words& words) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-delete") return true;
    if (IsOneOf(words[i], "-exec|-execdir|-ok|-okdir") && i + 1 < words.size() &&
        IsOneOf(NameOf(words[i + 1]), "rm|unlink|shred"))
      return true;
  }
  return false;
}

bool FindsRoots(const Words& words, const Roots& roots) {
  std::size_t at = 1;
  while (at < words.size() && IsOneOf(words[at], "-H|-L|-P")) ++at;
  Words starts;
  for (; at < words.size() && !words[at].starts_with('-') && words[at] != "!"; ++at)
    starts.push_back(words[at]);
  if (starts.empty()) starts = {"."};
  if (std::none_of(starts.begin(), starts.end(), [&](const std::string& start) { return roots.Has(start); }))
    return false;
  if (std::any_of(words.begin(), words.end(),
                  [](const std::string& word) { return IsOneOf(word, "-o|-or|!|-not|,"); }))
    return true;
  for (; at + 1 < words.size(); ++at) {
    if (IsOneOf(words[at], "-delete|-exec|-execdir|-ok|-okdir")) return true;
    if (IsOneOf(words[at], "-name|-iname|-path|-ipath|-wholename") && IsSelective(words[at + 1]))
      return false;
  }
  return true;
}

}  // namespace mxc
