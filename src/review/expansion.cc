#include "review/expansion.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "review/command_words.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxValues = 32;  // of one word
constexpr std::size_t kMaxDirectories = 32;
constexpr std::size_t kMaxBytes = 4096;  // of one value
constexpr int kMaxExpansions = 8;        // of expansions in expansions

bool IsNameCharacter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

std::size_t NameLength(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), IsNameCharacter) - text.begin());
}

// Of the bracket that `text` begins with; npos: nothing closes it.
std::size_t ClosingBracket(std::string_view text, char opens, char closes) {
  int open = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == opens) ++open;
    if (text[i] == closes && --open == 0) return i;
  }
  return std::string_view::npos;
}

void Put(std::vector<std::string> more, std::vector<std::string>& all) {
  for (std::string& each : more) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(std::move(each));
  }
}

// Each of `heads` with each of `tails`.
std::vector<std::string> Joined(const std::vector<std::string>& heads,
                                const std::vector<std::string>& tails) {
  std::vector<std::string> unknown = {std::string(1, kUnknown)};
  if (heads.empty() || tails.empty() || heads.size() * tails.size() > kMaxValues) return unknown;
  std::vector<std::string> all;
  for (const std::string& head : heads) {
    for (const std::string& tail : tails) {
      if (head.size() + tail.size() > kMaxBytes) return unknown;
      all.push_back(head + tail);
    }
  }
  return all;
}

// The pieces of "a,b{c,d}" between commas of its own.
std::vector<std::string_view> Pieces(std::string_view inner) {
  std::vector<std::string_view> pieces;
  int open = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= inner.size(); ++i) {
    if (i < inner.size() && (inner[i] == '{' || inner[i] == '(')) ++open;
    if (i < inner.size() && (inner[i] == '}' || inner[i] == ')')) --open;
    if (i == inner.size() || (inner[i] == ',' && open == 0)) {
      pieces.push_back(inner.substr(from, i - from));
      from = i + 1;
    }
  }
  return pieces;
}

std::vector<std::string> ExpandBraces(std::string_view word, int depth) {
  for (std::size_t at = word.find('{'); at != std::string_view::npos && depth < kMaxExpansions;
       at = word.find('{', at + 1)) {
    if (at != 0 && word[at - 1] == '$') continue;
    const std::size_t end = ClosingBracket(word.substr(at), '{', '}');
    if (end == std::string_view::npos) continue;
    const std::vector<std::string_view> pieces = Pieces(word.substr(at + 1, end - 1));
    if (pieces.size() < 2) continue;
    std::vector<std::string> middle;
    for (const std::string_view piece : pieces) Put(ExpandBraces(piece, depth + 1), middle);
    return Joined(Joined({std::string(word.substr(0, at))}, middle),
                  ExpandBraces(word.substr(at + end + 1), depth + 1));
  }
  return {std::string(word)};
}

}  // namespace

std::vector<std::string> SplitAtBlanks(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = TakePiece(text, " \t\n");
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::vector<std::string> ExpandBraces(std::string_view word) { return ExpandBraces(word, 0); }

std::string_view AssignedName(std::string_view word) {
  const std::size_t length = NameLength(word);
  if (length == 0 || (word.front() >= '0' && word.front() <= '9')) return {};
  const std::string_view rest = word.substr(length);
  // "a[1]=x"
  if (rest.starts_with('[')) return rest.find("]=") != std::string_view::npos ? word.substr(0, length) : "";
  return rest.starts_with("=") || rest.starts_with("+=") ? word.substr(0, length) : "";
}

void Expansion::Add(const std::string& name, std::string value) {
  Values& values = variables_[name];
  if (values.size() >= kMaxValues) value = std::string(1, kUnknown);
  Put({std::move(value)}, values);
}

void Expansion::AddExpanded(const std::string& name, std::string_view word) {
  for (std::string& value : Expand(word)) Add(name, std::move(value));
}

void Expansion::AddAssignments(const std::vector<ShellCommand>& commands) {
  for (const ShellCommand& command : commands) {
    if (!command.words.empty()) AddAssignments(command.words);
  }
}

void Expansion::AddAssignments(const std::vector<std::string>& words) {
  if (words.size() > 2 && IsOneOf(words[0], "for|select")) {
    for (std::size_t i = 3; i < words.size(); ++i) AddExpanded(words[1], words[i]);
    return;
  }
  if (IsOneOf(words[0], "read|mapfile|readarray")) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (NameLength(words[i]) == words[i].size()) Add(words[i], std::string(1, kUnknown));
    }
    return;
  }
  const bool declares = IsOneOf(words[0], "export|local|readonly|declare|typeset");
  for (std::size_t i = declares ? 1 : 0; i < words.size(); ++i) {
    const std::string_view name = AssignedName(words[i]);
    if (name.empty() && declares) continue;
    if (name.empty()) break;
    AddExpanded(std::string(name), std::string_view(words[i]).substr(words[i].find('=') + 1));
  }
}

void Expansion::SetDirectories(std::vector<std::string> directories) {
  directories_ = std::move(directories);
  if (directories_.size() > kMaxDirectories) directories_ = {std::string(1, kUnknown)};
}

Expansion::Values Expansion::ValuesOf(std::string_view name) const {
  if (name == "IFS") return {" "};
  const auto found = variables_.find(name);
  if (found != variables_.end()) return found->second;
  if (name == "PWD") return directories_;
  return {std::string(1, kUnknown)};
}

Expansion::Values Expansion::OfBraces(std::string_view inner, int depth) const {
  if (inner.starts_with('#') && inner.size() > 1) return {"0"};
  const std::string_view name = inner.substr(0, NameLength(inner));
  std::string_view rest = inner.substr(name.size());
  Values values = ValuesOf(name);
  if (rest.empty()) return values;
  const bool colon = rest.starts_with(':');
  if (colon) rest.remove_prefix(1);
  if (name.empty() || rest.empty()) return {std::string(1, kUnknown)};
  const std::string_view word = rest.substr(1);
  switch (rest.front()) {
    case '-':
    case '=':
      if (!variables_.contains(name) && name != "PWD" && NameLength(name) > 0 &&
          (name[0] < '0' || name[0] > '9'))
        values.clear();
      Put(ExpandWord(word, depth + 1), values);
      return values;
    case '+':
      values = {""};
      Put(ExpandWord(word, depth + 1), values);
      return values;
    case '?':
      return values;
    default:
      return {std::string(1, kUnknown)};
  }
}

Expansion::Values Expansion::OfSubstitution(std::string_view text, int depth) const {
  const std::vector<std::string> words = SplitAtBlanks(text);
  if (words.empty()) return {""};
  if (words[0] == "pwd") return directories_;
  if (words[0] == "mktemp" && text.find_first_of(";|&\n") == std::string_view::npos) return {"/tmp/mktemp"};
  if ((words[0] == "echo" || words[0] == "printf") && words.size() == 2)
    return ExpandWord(words[1], depth + 1);
  return {std::string(1, kUnknown)};
}

// Behind a "$".
Expansion::Values Expansion::TakeDollar(std::string_view& rest, int depth) const {
  const auto take = [&](std::size_t bytes) {
    const std::string_view taken = rest.substr(0, bytes);
    rest.remove_prefix(std::min(rest.size(), bytes));
    return taken;
  };
  if (rest.starts_with('(') || rest.starts_with('{')) {
    const bool substitutes = rest.front() == '(';
    const std::size_t end =
        std::min(substitutes ? ClosingBracket(rest, '(', ')') : ClosingBracket(rest, '{', '}'), rest.size());
    const std::string_view taken = take(end + 1);
    if (depth >= kMaxExpansions) return {std::string(1, kUnknown)};
    const std::string_view inner = taken.substr(1, end == 0 ? 0 : end - 1);
    return substitutes ? OfSubstitution(inner, depth) : OfBraces(inner, depth);
  }
  const std::size_t length = NameLength(rest);
  if (length != 0) return ValuesOf(take(rest.front() >= '0' && rest.front() <= '9' ? 1 : length));
  if (!rest.empty() && std::string_view("?#$!").find(rest.front()) != std::string_view::npos)
    return take(1), Values{"1"};
  if (!rest.empty() && std::string_view("@*-").find(rest.front()) != std::string_view::npos) take(1);
  return {std::string(1, kUnknown)};
}

Expansion::Values Expansion::ExpandWord(std::string_view word, int depth) const {
  Values values = {""};
  for (const std::string_view home : {"~+", "~"}) {
    if (!word.starts_with(home)) continue;
    const std::string_view behind = word.substr(home.size());
    if (!behind.empty() && behind.front() != '/') continue;
    values = home == "~" ? ValuesOf("HOME") : directories_;
    word = behind;
    break;
  }
  while (!word.empty()) {
    const std::size_t dollar = std::min(word.find('$'), word.size());
    values = Joined(values, {std::string(word.substr(0, dollar))});
    word.remove_prefix(dollar);
    if (word.empty()) break;
    word.remove_prefix(1);
    values = Joined(values, TakeDollar(word, depth));
  }
  return values;
}

std::vector<std::string> Expansion::Expand(std::string_view word) const {
  if (word.find_first_of("$~{") == std::string_view::npos) return {std::string(word)};
  std::vector<std::string> all;
  for (const std::string& each : ExpandBraces(word)) Put(ExpandWord(each, 0), all);
  return all;
}

std::vector<std::string> Expansion::ExpandAll(const std::vector<std::string>& words) const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::vector<std::string> values = Expand(words[i]);
    const bool splits = i == 0 || words[i].find("IFS") != std::string::npos;
    for (std::string& value : values) {
      if (value == words[i] || !splits) {
        all.push_back(std::move(value));
      } else {
        std::vector<std::string> split = SplitAtBlanks(value);
        std::move(split.begin(), split.end(), std::back_inserter(all));
      }
    }
  }
  return all;
}

}  // namespace mxc
