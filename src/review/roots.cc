#include "review/roots.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "policy/paths/glob.h"
#include "policy/paths/paths.h"
#include "review/command_words.h"

namespace mxc {
namespace {

// "/proc/self/cwd/x" and "/proc/1/root/x", whatever the process: links that the kernel follows.
std::optional<std::string> ThroughProcess(std::string_view operand) {
  const Words rest = Components(operand);
  if (!operand.starts_with('/') || rest.empty() || rest.front() != "proc") return std::nullopt;
  const auto link = std::find_if(rest.begin(), rest.end(),
                                 [](const std::string& part) { return IsOneOf(part, "cwd|root"); });
  if (link == rest.end()) return std::nullopt;
  std::string led = *link == "cwd" ? "." : "/";
  for (auto part = link + 1; part != rest.end(); ++part) led = JoinPath(led, *part);
  return led;
}

// Of one component: "*", "?", "[a-z]*", "!(x)". "*.o" and "a*" leave most files out.
bool MayMatchEverything(std::string_view pattern) {
  bool matches = false;
  pattern.remove_prefix(std::min(pattern.find_first_not_of('.'), pattern.size()));
  while (!pattern.empty()) {
    const char c = pattern.front();
    if (pattern.size() > 1 && pattern[1] == '(' &&
        std::string_view("?*+@!").find(c) != std::string_view::npos) {
      const std::size_t end = std::min(pattern.find(')'), pattern.size() - 1);
      const std::string_view inner = pattern.substr(2, end - 2);
      if (c != '!' && inner.find_first_not_of("*?|.") != std::string_view::npos) return false;
      matches = true;
      pattern.remove_prefix(end + 1);
      continue;
    }
    if (c == '[') {
      const std::size_t end = pattern.find(']', 2);
      if (end == std::string_view::npos || end == 2) return false;
      matches = true;
      pattern.remove_prefix(end + 1);
      continue;
    }
    if (c != '*' && c != '?' && !pattern.starts_with(".*")) return false;
    matches |= c != '.';
    pattern.remove_prefix(1);
  }
  return matches;
}

// A pattern's components are, or are above, `path`, both absolute: "/w*" and "/work/a?p" of "/work/app".
bool MayHold(const std::vector<std::string>& pattern, std::string_view path) {
  const std::vector<std::string> names = Components(path);
  return pattern.size() <= names.size() &&
         std::equal(pattern.begin(), pattern.end(), names.begin(),
                    [](const std::string& each, const std::string& name) { return MatchesName(each, name); });
}

bool IsSelective(std::string_view pattern) {
  return pattern.find_first_not_of("*?./[]$") != std::string_view::npos && !MayMatchEverything(pattern);
}

}  // namespace

std::vector<std::string> NamesOf(const std::string& path, const std::vector<PathLink>& links) {
  constexpr std::size_t kMaxNames = 32;  // links below what they lead to have no end of them
  std::vector<std::string> names = {path};
  for (std::size_t i = 0; i < names.size() && names.size() < kMaxNames; ++i) {
    for (const PathLink& link : links) {
      const std::string target = FoldLexically(
          link.target.starts_with('/') ? link.target : JoinPath(ParentOf(link.path), link.target));
      if (!IsAtOrBelow(names[i], target)) continue;
      const std::string rest = names[i].substr(target == "/" ? 0 : target.size());
      if (std::find(names.begin(), names.end(), link.path + rest) == names.end())
        names.push_back(link.path + rest);
    }
  }
  return names;
}

std::string WithoutPatternsAtEnd(std::string path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view last = std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
    if (!last.empty() && last != "." && !MayMatchEverything(last)) break;
    path.resize(slash == std::string::npos ? 0 : slash);
  }
  return path;
}

// NOLINTNEXTLINE(misc-no-recursion): each turn shortens what it is about
bool Roots::Has(const std::string& operand) const {
  if (operand.empty()) return false;
  if (const std::optional<std::string> led = ThroughProcess(operand)) return Has(*led);
  if (operand.starts_with('/') || operand.starts_with(kUnknownText)) return HasAt(operand);
  const std::vector<std::string>& directories = expansion_.Directories();
  return std::any_of(directories.begin(), directories.end(),
                     [&](const std::string& each) { return HasAt(JoinPath(each, operand)); });
}

bool Roots::HasAt(std::string path) const {
  if (path.find(kUnknownText) != std::string::npos) {
    // Anything, or all in it; and what a variable is empty for: "$DIR/*" is "/*".
    const std::string known = WithoutPatternsAtEnd(path);
    if (known.find_first_not_of("$./") == std::string::npos) return true;
    std::erase(path, kUnknownText);
  }
  path = FoldLexically(WithoutPatternsAtEnd(path));
  const Words pattern = Components(path);
  return pattern.empty() || (!home_.empty() && MayHold(pattern, home_)) ||
         std::any_of(roots_.begin(), roots_.end(),
                     [&](const std::string& root) { return MayHold(pattern, root); });
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
