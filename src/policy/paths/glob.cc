#include "policy/paths/glob.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/lists.h"
#include "base/utf8.h"
#include "mxc/limits.h"
#include "policy/paths/paths.h"
#include "policy/paths/search.h"

namespace mxc {
namespace {

constexpr std::string_view kAnyDepth = "**";
constexpr std::string_view kMeta = "*?[";

bool IsPattern(std::string_view component) {
  for (std::size_t i = 0; i < component.size(); ++i) {
    const char c = component[i];
    // An escaped character makes a pattern as well, because the match has no backslash.
    if (c == '\\' && i + 1 < component.size()) {
      if (kMeta.find(component[++i]) != std::string_view::npos) return true;
      continue;
    }
    if (c == '*' || c == '?') return true;
    if (c == '[' && component.find(']', i + 2) != std::string_view::npos) return true;
  }
  return false;
}

// Takes one character from the front of `text`: a code point, or a byte that belongs to none.
std::uint32_t TakeCharacter(std::string_view& text) {
  constexpr std::uint32_t kNoCodePoint = 0x110000;
  const Character first = FirstCharacter(text);
  const auto byte = static_cast<unsigned char>(text.front());
  text.remove_prefix(first.bytes);
  return first.valid ? first.code : kNoCodePoint + byte;
}

// Reads "[...]" at the front of `pattern`, which is known to be closed. Returns whether `c` is in the set.
bool InSet(std::string_view& pattern, std::uint32_t c) {
  pattern.remove_prefix(1);
  const bool negated = pattern.front() == '!' || pattern.front() == '^';
  if (negated) pattern.remove_prefix(1);
  bool found = false;
  for (bool first = true; first || pattern.front() != ']'; first = false) {
    const std::uint32_t low = TakeCharacter(pattern);
    std::uint32_t high = low;
    if (pattern.size() > 2 && pattern[0] == '-' && pattern[1] != ']') {
      pattern.remove_prefix(1);
      high = TakeCharacter(pattern);
    }
    found = found || (low <= c && c <= high);
    if (pattern.empty()) return false;
  }
  pattern.remove_prefix(1);
  return found != negated;
}

// Matches one character of `name` against the front of `pattern`, which is not '*'.
bool TakeOne(std::string_view& pattern, std::string_view& name) {
  const std::uint32_t c = TakeCharacter(name);
  if (pattern.front() == '?') {
    pattern.remove_prefix(1);
    return true;
  }
  if (pattern.front() == '[' && pattern.find(']', 2) != std::string_view::npos) return InSet(pattern, c);
  if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
  return TakeCharacter(pattern) == c;
}

// Walks the tree once. For each directory it keeps the numbers of pattern components that the path so far may
// match.
class Expansion {
 public:
  Expansion(std::vector<std::string> components, GlobLinks links)
      : components_(std::move(components)), links_(links) {}

  void Start(const std::string& base) { Reach(behind_[base], 0); }
  void Visit(const std::string& directory, std::vector<DirectoryEntry>& entries);
  [[nodiscard]] std::vector<GlobMatch> Take() { return std::move(matches_); }
  [[nodiscard]] bool TooMany() const { return matches_.size() > kMaxGlobMatches; }

 private:
  using Positions = std::set<std::size_t>;

  // NOLINTNEXTLINE(misc-no-recursion): as many "**" as follow each other
  void Reach(Positions& positions, std::size_t position) const {
    positions.insert(position);
    if (position < components_.size() && components_[position] == kAnyDepth) Reach(positions, position + 1);
  }
  [[nodiscard]] bool Enters(DirectoryEntry& entry, Positions& next) const;

  std::vector<std::string> components_;
  GlobLinks links_;
  std::unordered_map<std::string, Positions> behind_ = {};
  std::vector<GlobMatch> matches_ = {};
};

bool Expansion::Enters(DirectoryEntry& entry, Positions& next) const {
  if (entry.type == FileType::kSymlink && links_ == GlobLinks::kFollow) {
    // Below "**" a link could form a loop.
    std::erase_if(next, [this](std::size_t position) { return components_[position] == kAnyDepth; });
    entry.type = FileType::kDirectory;
  }
  return entry.type == FileType::kDirectory && !next.empty();
}

void Expansion::Visit(const std::string& directory, std::vector<DirectoryEntry>& entries) {
  const Positions here = std::move(behind_[directory]);
  behind_.erase(directory);
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& left, const DirectoryEntry& right) { return left.name < right.name; });
  const auto left_out = [&](DirectoryEntry& entry) {
    const std::string path = JoinPath(directory, entry.name);
    // A pattern does not match the sandbox's own nodes, unless it begins there.
    if (TooMany() || (IsNeverFromHost(path) && !IsNeverFromHost(directory))) return true;
    Positions next;
    for (const std::size_t position : here) {
      if (position == components_.size()) continue;
      if (components_[position] == kAnyDepth) {
        Reach(next, position);
      } else if (MatchesName(components_[position], entry.name)) {
        Reach(next, position + 1);
      }
    }
    if (next.erase(components_.size()) != 0) matches_.push_back({.path = path, .type = entry.type});
    if (!Enters(entry, next)) return true;
    behind_[path] = std::move(next);
    return false;
  };
  std::vector<DirectoryEntry> entered;
  for (DirectoryEntry& entry : entries) {
    if (!left_out(entry)) entered.push_back(std::move(entry));
  }
  entries = std::move(entered);
}

Error TooMuch(std::string message) { return Conflict(std::move(message), {}, "name a narrower pattern"); }

}  // namespace

std::vector<std::string> Components(std::string_view path) {
  std::vector<std::string> result;
  while (!path.empty()) {
    const std::string_view name = TakePiece(path, '/');
    if (!name.empty() && name != ".") result.emplace_back(name);
  }
  return result;
}

std::string Below(std::string_view directory, std::string_view rest) {
  std::string path;
  const bool pattern = IsGlob(rest);
  for (const char c : directory) {
    if (pattern && (c == '\\' || kMeta.find(c) != std::string_view::npos)) path += '\\';
    path += c;
  }
  return path += rest;
}

bool IsGlob(std::string_view path) {
  const std::vector<std::string> components = Components(path);
  return std::any_of(components.begin(), components.end(),
                     [](const std::string& component) { return IsPattern(component); });
}

// Only the last '*' ever needs backtracking.
bool MatchesName(std::string_view pattern, std::string_view name) {
  if (pattern == name) return true;
  bool starred = false;
  std::string_view retry_pattern;
  std::string_view retry_name;
  while (true) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      starred = true;
      retry_pattern = pattern;
      retry_name = name;
      continue;
    }
    if (pattern.empty() && name.empty()) return true;
    if (!pattern.empty() && !name.empty() && TakeOne(pattern, name)) continue;
    if (!starred || retry_name.empty()) return false;
    retry_name.remove_prefix(1);
    pattern = retry_pattern;
    name = retry_name;
  }
}

std::string GlobBase(std::string_view pattern) {
  std::string base = "/";
  for (const std::string& component : Components(pattern)) {
    if (component.find_first_of("*?[\\") != std::string::npos) break;
    base = JoinPath(base, component);
  }
  return base;
}

Result<std::vector<GlobMatch>> ExpandGlob(std::string_view pattern, GlobLinks links, const Host& host) {
  const std::string base = GlobBase(pattern);
  std::vector<std::string> components = Components(pattern);
  const auto fixed = static_cast<std::ptrdiff_t>(Components(base).size());
  components.erase(components.begin(), components.begin() + fixed);
  while (!components.empty() && components.back() == kAnyDepth) components.pop_back();
  if (components.empty()) return std::vector<GlobMatch>{{.path = base, .type = FileType::kDirectory}};
  if (std::find(components.begin(), components.end(), "..") != components.end()) {
    return Conflict("'..' cannot follow a pattern", {}, "write the pattern without '..'");
  }

  Expansion expansion(std::move(components), links);
  expansion.Start(base);
  TreeSearch search(host);
  search.Run({base}, [&](const std::string& directory, std::vector<DirectoryEntry>& entries) {
    expansion.Visit(directory, entries);
  });
  if (expansion.TooMany()) {
    return TooMuch("it matches more than " + std::to_string(kMaxGlobMatches) + " paths");
  }
  if (!search.Gap().empty()) return TooMuch("not everything could be searched: " + search.Gap());
  for (const std::string& closed : search.Closed()) {
    const Result<Walked> walked = PathWalker(host).Walk(closed);
    // The owner could make it accessible to the command.
    if (walked && walked->status && walked->status->uid == host.Caller().uid)
      return TooMuch("not everything could be searched: " + Quoted(closed) + " cannot be listed");
  }
  std::vector<GlobMatch> matches = expansion.Take();
  // A command can reach longer paths step by step.
  for (const std::string& deepest : search.Deepest()) {
    if (links == GlobLinks::kFollow) matches.push_back({.path = deepest, .type = FileType::kDirectory});
  }
  return matches;
}

}  // namespace mxc
