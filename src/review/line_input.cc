#include "review/line_input.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace mxc {
namespace {

// Its text is kept or shown, not executed.
bool KeepsInput(const Words& words) {
  return !words.empty() && IsOneOf(NameOf(words.front()), "cat|tee|echo|printf");
}

// As xargs takes them.
std::optional<Words> NamesPrinted(const ShellCommand& command, const Expansion& expansion) {
  Words names;
  for (std::string text : expansion.PrintedBy(command)) {
    if (IsUnknown(text)) return std::nullopt;
    std::erase_if(text, [](char c) { return c == '\'' || c == '"'; });
    for (std::string& name : SplitAtBlanks(text)) names.push_back(std::move(name));
  }
  return names;
}

std::optional<Words> NamesSaid(const LinePlace& place, const Expansion& expansion, const Roots& roots) {
  if (place.line == nullptr) return std::nullopt;
  const std::vector<ShellCommand>& line = *place.line;
  const Words& own = line[place.at].words;
  const auto string = std::find(own.begin(), own.end(), "<<<");
  if (string != own.end() && string + 1 != own.end())
    return NamesPrinted({.words = {"printf", "%s", *(string + 1)}}, expansion);
  const std::vector<int>& subshells = line[place.at].subshells;
  for (std::size_t i = place.at; line[i].joint == ShellJoint::kPipe && i > 0;) {
    do --i;
    while (i > 0 && line[i].substituted && line[i].subshells.size() > subshells.size());
    const Words from = expansion.ExpandAll(expansion.Fields(line[i]));
    if (from.empty() || line[i].subshells != subshells) return std::nullopt;
    if (IsOneOf(from.front(), "echo|printf")) return NamesPrinted(line[i], expansion);
    if (from.front() == "find") return FindsRoots(from, roots) ? std::nullopt : std::optional<Words>{Words{}};
    if (!IsOneOf(from.front(), "sort|uniq|head|tail|grep|egrep|fgrep")) return std::nullopt;
  }
  return std::nullopt;
}

// What stands for a name in the words: "" where names are put behind them.
std::string ReplacedBy(std::string_view program, const Words& words) {
  std::string replaced = program == "xargs" ? "" : "{}";
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with("--replace") || word == "-i") replaced = "{}";
    if (word.starts_with("--replace=")) replaced = word.substr(10);
    if (word.starts_with("-I") && word.size() > 2) replaced = word.substr(2);
    if (word == "-I" && i + 1 < words.size()) replaced = words[++i];
  }
  return replaced;
}

}  // namespace

bool IsKept(const std::vector<ShellCommand>& commands, std::size_t at) {
  // "> >(bash)"
  const auto is_given = [](const std::string& word) { return word.starts_with(">("); };
  if (!KeepsInput(commands[at].words)) return false;
  if (std::any_of(commands[at].words.begin(), commands[at].words.end(), is_given)) return false;
  for (std::size_t i = at + 1; i < commands.size() && commands[i].joint == ShellJoint::kPipe; ++i) {
    if (!KeepsInput(commands[i].words)) return false;
  }
  const auto is_named = [&](const std::string& file) {
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const Words& words = commands[i].words;
      if (i != at && std::any_of(words.begin(), words.end(),
                                 [&](const std::string& word) { return NameOf(word) == NameOf(file); }))
        return true;
    }
    return false;
  };
  const Words& words = commands[at].words;
  return std::none_of(words.begin() + 1, words.end(), [&](const std::string& word) {
    return word != ">" && !word.starts_with('-') && is_named(word);
  });
}

Names PutNames(Words& words, const LinePlace& place, const Expansion& expansion, const Roots& roots) {
  const std::string_view program = NameOf(words.front());
  if (IsOneOf(program, "xargs|parallel")) {
    if (const std::optional<Words> said = NamesSaid(place, expansion, roots)) {
      words.insert(words.end(), said->begin(), said->end());
      return Names::kNone;
    }
  }
  if (program == "find" && !FindsRoots(words, roots)) return Names::kNone;
  const std::string replaced = ReplacedBy(program, words);
  bool behind = program != "find";
  for (std::string& word : words) {
    const std::size_t at = replaced.empty() ? std::string::npos : word.find(replaced);
    if (at == std::string::npos) continue;
    word.replace(at, replaced.size(), 1, kUnknownText);
    behind = false;
  }
  if (behind) words.emplace_back(1, kUnknownText);
  return Names::kRead;
}

}  // namespace mxc
