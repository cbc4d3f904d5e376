#include "review/roots.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "policy/paths/glob.h"
#include "policy/paths/paths.h"
#include "review/command_words.h"
#include "review/path_patterns.h"

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

}  // namespace

// NOLINTNEXTLINE(misc-no-recursion): each turn shortens what it is about
bool Roots::Has(const std::string& operand) const {
  if (operand.empty()) return false;
  if (const std::optional<std::string> led = ThroughProcess(operand)) return Has(*led);
  if (operand.starts_with('/') || operand.starts_with(kUnknown)) return HasAt(operand);
  const std::vector<std::string>& directories = expansion_.Directories();
  return std::any_of(directories.begin(), directories.end(),
                     [&](const std::string& each) { return HasAt(JoinPath(each, operand)); });
}

bool Roots::HasAt(std::string path) const {
  if (path.find(kUnknown) != std::string::npos) {
    // Anything, or all in it; and what a variable is empty for: "$DIR/*" is "/*".
    const std::string known = WithoutPatternsAtEnd(path);
    if (known.find_first_not_of("$./") == std::string::npos) return true;
    std::erase(path, kUnknown);
  }
  path = FoldLexically(WithoutPatternsAtEnd(path));
  const Words pattern = Components(path);
  return pattern.empty() || (!home_.empty() && MayHold(pattern, home_)) ||
         std::any_of(roots_.begin(), roots_.end(),
                     [&](const std::string& root) { return MayHold(pattern, root); });
}

}  // namespace mxc
