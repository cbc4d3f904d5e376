#include "review/expansion.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace mxc {
namespace {

constexpr std::size_t kMaxDirectories = 32;
constexpr std::size_t kMaxParameters = 256;
constexpr int kMaxExpansions = 8;  // of expansions in expansions

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
  std::vector<std::string> unknown = {std::string(1, kUnknownText)};
  if (heads.empty() || tails.empty() || heads.size() * tails.size() > Expansion::kMaxValues) return unknown;
  std::vector<std::string> all;
  for (const std::string& head : heads) {
    for (const std::string& tail : tails) {
      if (head.size() + tail.size() > Expansion::kMaxBytes) return unknown;
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

// "${X%word}" and "${X#word}" where the word is no pattern.
std::vector<std::string> Trimmed(std::vector<std::string> values, char from, std::string_view word) {
  if (word.starts_with(from)) word.remove_prefix(1);
  if (word.find_first_of("*?[\\$`\"'~{(") != std::string_view::npos) return {std::string(1, kUnknownText)};
  for (std::string& value : values) {
    if (from == '%' && value.ends_with(word)) value.resize(value.size() - word.size());
    if (from == '#' && value.starts_with(word)) value.erase(0, word.size());
  }
  return values;
}

bool IsPattern(std::string_view text) { return text.find_first_of("*?[") != std::string_view::npos; }

// "${x:1:3}", with numbers alone.
std::vector<std::string> Cut(std::vector<std::string> values, std::string_view numbers) {
  std::ptrdiff_t number[2] = {0, std::ptrdiff_t{1} << 30};
  for (std::ptrdiff_t& each : number) {
    std::string_view text = TakePiece(numbers, ":");
    text.remove_prefix(std::min(text.find_first_not_of(" \t("), text.size()));
    text = text.substr(0, text.find_last_not_of(" \t)") + 1);
    const bool negative = text.starts_with('-');
    text.remove_prefix(negative ? 1 : 0);
    if (text.size() > 8 || text.find_first_not_of("0123456789") != std::string_view::npos) return NotKnown();
    each = 0;
    for (const char digit : text) each = each * 10 + (digit - '0');
    if (negative) each = -each;
    if (numbers.empty()) break;
  }
  for (std::string& value : values) {
    if (value.find(kUnknownText) != std::string::npos) return NotKnown();
    const auto size = static_cast<std::ptrdiff_t>(value.size());
    const std::ptrdiff_t from =
        std::clamp<std::ptrdiff_t>(number[0] < 0 ? size + number[0] : number[0], 0, size);
    const std::ptrdiff_t end =
        std::clamp<std::ptrdiff_t>(number[1] < 0 ? size + number[1] : from + number[1], from, size);
    value = value.substr(static_cast<std::size_t>(from), static_cast<std::size_t>(end - from));
  }
  return values;
}

// "${x^^}", "${x,}"; which bytes a pattern names is not asked.
std::vector<std::string> InCase(std::vector<std::string> values, std::string_view operation) {
  const bool all = operation == "^^" || operation == ",,";
  if (!all && operation != "^" && operation != ",") return NotKnown();
  for (std::string& value : values) {
    for (char& c : value) {
      if (operation.front() == '^' && c >= 'a' && c <= 'z')
        c = static_cast<char>(c - 'a' + 'A');
      else if (operation.front() == ',' && c >= 'A' && c <= 'Z')
        c = static_cast<char>(c - 'A' + 'a');
      if (!all) break;
    }
  }
  return values;
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

std::vector<std::string> ExpandBraces(std::string_view word) { return ExpandBraces(word, 0); }

bool IsList(std::string_view word) {
  if (word == "$@" || word == "$*") return true;
  if (!word.starts_with("${") || !word.ends_with('}')) return false;
  word.remove_prefix(2);
  const std::string_view rest = word.substr(NameLength(word));
  return word.starts_with('@') || word.starts_with('*') || rest.starts_with("[@]") || rest.starts_with("[*]");
}

void Expansion::Add(const std::string& name, std::string value) {
  Values& values = variables_[name];
  if (values.size() >= kMaxValues) value = std::string(1, kUnknownText);
  Put({Separated(value), value}, values);
}

// With blanks where IFS splits it.
std::string Expansion::Separated(std::string value) const {
  std::replace_if(
      value.begin(), value.end(), [&](char c) { return separators_.find(c) != std::string::npos; }, ' ');
  return value;
}

void Expansion::AddAssignments(const std::vector<ShellCommand>& commands) {
  for (const ShellCommand& command : commands) {
    if (!command.in_function) {
      AddAssigned(command);
      continue;
    }
    std::optional<Parameters> outside = SetParameters(std::nullopt);
    AddAssigned(command);
    SetParameters(std::move(outside));
  }
}

void Expansion::AddAssigned(const ShellCommand& command) {
  Words words = Fields(command);
  const bool known = command.in_function;  // a call says what its parameters are
  const auto end = std::find_if(words.begin(), words.end(),
                                [](const std::string& word) { return AssignedName(word).empty(); });
  for (auto word = words.begin(); word != end; ++word) Assign(*word, known);
  words.erase(words.begin(), end);
  if (words.size() < 2) return;
  if (IsOneOf(words[0], "for|select")) {
    for (std::size_t i = 3; i < words.size(); ++i) Assign(words[1] + "=" + words[i], known);
    // `for x; do`: each parameter
    if (words.size() == 2 && parameters_ && NameLength(words[1]) == words[1].size()) {
      for (std::string& value : ParametersFrom(1)) Add(words[1], std::move(value));
    }
  } else if (IsOneOf(words[0], "read|mapfile|readarray")) {
    AddRead(words, command.input);
  } else if (words[0] == "printf" && words[1] == "-v" && words.size() > 3) {
    const std::string name = words[2];
    words.erase(words.begin() + 1, words.begin() + 3);
    for (std::string& value : PrintedBy({.words = words})) Add(name, std::move(value));
  } else if (IsOneOf(words[0], "export|local|readonly|declare|typeset") ||
             std::any_of(words.begin(), words.end(),
                         [](const std::string& word) { return NameOf(word) == "env"; })) {
    // `declare -n NAME=OTHER`: each is the other.
    const bool refers = std::find(words.begin(), words.end(), "-n") != words.end() && words[0] != "export";
    for (const std::string& word : words) {
      const std::string name(AssignedName(word));
      if (!refers || name.empty()) continue;
      const std::string other = word.substr(word.find('=') + 1);
      for (const auto& [from, to] : {std::pair(other, name), std::pair(name, other)}) {
        if (!variables_.contains(from)) continue;
        for (const std::string& value : Values(ValuesOf(from))) Add(to, value);
      }
    }
    for (const std::string& word : words) Assign(word, known);
  }
}

// `known`: what is not known is no value.
void Expansion::Assign(const std::string& word, bool known) {
  const std::string name(AssignedName(word));
  if (name.empty()) return;
  const std::size_t at = word.find('=');
  if (name == "IFS" && separators_.size() < kMaxValues) separators_ += word.substr(at + 1);
  Values values = Expand(std::string_view(word).substr(at + 1));
  if (word[at - 1] == '+' && variables_.contains(name)) values = Joined(ValuesOf(name), values);
  for (std::string& value : values) {
    if (!known || !IsUnknown(value)) Add(name, std::move(value));
  }
}

// Of what the line itself gives it: a here-string or a here-document.
void Expansion::AddRead(const Words& words, const std::string& input) {
  Values values = {std::string(1, kUnknownText)};
  if (!input.empty()) values = {input.substr(0, input.find('\n'))};
  const bool array = words.front() == "read" && HasFlag(words, "-a");
  const auto string = std::find(words.begin(), words.end(), "<<<");
  if (string != words.end() && string + 1 != words.end()) values = Expand(*(string + 1));
  for (const std::string& name : words) {
    if (name.empty() || NameLength(name) != name.size() || &name == &words.front()) continue;
    for (const std::string& value : values) {
      if (!array) Add(name, value);
      for (std::string& piece : SplitAtBlanks(Separated(value))) Add(name, std::move(piece));
    }
  }
}

std::optional<Parameters> Expansion::SetParameters(std::optional<Parameters> parameters) {
  return std::exchange(parameters_, std::move(parameters));
}

void Expansion::AddParameters(const Words& words) {
  if (!parameters_) parameters_ = Parameters{.words = {"sh"}};
  Words& all = parameters_->words;
  if (all.size() > 1) parameters_->exact = false;
  if (all.size() + words.size() < kMaxParameters)
    all.insert(all.end(), words.begin(), words.end());
  else
    all.emplace_back(1, kUnknownText);
}

void Expansion::MoveParameters() {
  if (parameters_) parameters_->exact = false;
}

void Expansion::SetDirectories(std::vector<std::string> directories) {
  directories_ = std::move(directories);
  if (directories_.size() > kMaxDirectories) directories_ = {std::string(1, kUnknownText)};
}

Expansion::Values Expansion::ValuesOf(std::string_view name) const {
  if (name == "IFS") return {" "};
  const auto found = variables_.find(name);
  if (found != variables_.end()) return found->second;
  if (name == "PWD") return directories_;
  if (name == "SHELL") return {"/bin/sh"};
  if (name == "BASH") return {"/bin/bash"};
  if (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos) {
    std::size_t at = 0;
    for (const char digit : name.substr(0, 4)) at = at * 10 + static_cast<std::size_t>(digit - '0');
    Values values = ParametersFrom(at);
    if (parameters_ && parameters_->exact) values.resize(1);
    return values;
  }
  return {std::string(1, kUnknownText)};
}

Expansion::Values Expansion::ParametersFrom(std::size_t first) const {
  if (!parameters_) return {std::string(1, kUnknownText)};
  Values values;
  for (std::size_t i = first; i < parameters_->words.size(); ++i) values.push_back(parameters_->words[i]);
  if (values.empty()) values = {""};
  return values;
}

Expansion::Values Expansion::OfBraces(std::string_view inner, int depth) const {
  if (inner.starts_with('#') && inner.size() > 1) return {"0"};
  if (inner.starts_with('!') && inner.size() > 1 && NameLength(inner.substr(1)) == inner.size() - 1) {
    // the values of the variable that its value names
    Values values;
    for (const std::string& name : ValuesOf(inner.substr(1))) Put(ValuesOf(name), values);
    return values.size() > kMaxValues ? NotKnown() : values;
  }
  const bool all = inner.starts_with('@') || inner.starts_with('*');
  const std::string_view name = inner.substr(0, all ? 1 : NameLength(inner));
  std::string_view rest = inner.substr(name.size());
  Values values = all ? ParametersFrom(1) : ValuesOf(name);
  if (rest.starts_with('[')) {
    rest.remove_prefix(std::min(rest.find(']'), rest.size() - 1) + 1);
    if (rest.starts_with(':')) return values;  // a part of the array
  }
  if (rest.empty() || (all && rest.starts_with(':'))) return values;
  const bool colon = rest.starts_with(':');
  if (colon) rest.remove_prefix(1);
  if (name.empty() || rest.empty()) return {std::string(1, kUnknownText)};
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
    case '%':
    case '#':
      return Trimmed(std::move(values), rest.front(), word);
    case '/':
      return colon ? NotKnown() : Replaced(std::move(values), word, depth);
    case '^':
    case ',':
      return colon ? NotKnown() : InCase(std::move(values), rest);
    case '@':
      return values;  // quoted or expanded anew, or its attributes
    default:
      if (colon) return Cut(std::move(values), rest);
      return {std::string(1, kUnknownText)};
  }
}

// "${x/a/b}", "${x//a}", where "a" and "b" are no patterns.
Expansion::Values Expansion::Replaced(Values values, std::string_view operation, int depth) const {
  const bool all = operation.starts_with('/');
  operation.remove_prefix(all ? 1 : 0);
  const char anchor = !all && !operation.empty() && (operation.front() == '#' || operation.front() == '%')
                          ? operation.front()
                          : '\0';
  operation.remove_prefix(anchor != 0 ? 1 : 0);
  const std::size_t slash = std::min(operation.find('/'), operation.size());
  const Values from = ExpandWord(operation.substr(0, slash), depth + 1);
  const Values to = ExpandWord(operation.substr(std::min(slash + 1, operation.size())), depth + 1);
  if (from.size() != 1 || to.size() != 1 || from[0].find(kUnknownText) != std::string::npos ||
      IsPattern(from[0]))
    return NotKnown();
  const std::string& old = from[0];
  for (std::string& value : values) {
    if (value.find(kUnknownText) != std::string::npos) return NotKnown();
    if (anchor == '%') {
      if (value.ends_with(old)) value.replace(value.size() - old.size(), old.size(), to[0]);
    } else if (anchor == '#') {
      if (value.starts_with(old)) value.replace(0, old.size(), to[0]);
    } else if (!old.empty()) {
      for (std::size_t at = value.find(old); at != std::string::npos && value.size() <= kMaxBytes;
           at = value.find(old, at + to[0].size())) {
        value.replace(at, old.size(), to[0]);
        if (!all) break;
      }
    }
  }
  return values;
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
        std::min(substitutes ? SubstitutionLength(rest) - 1 : ClosingBracket(rest, '{', '}'), rest.size());
    const std::string_view taken = take(end + 1);
    if (depth >= kMaxExpansions) return {std::string(1, kUnknownText)};
    const std::string_view inner = taken.substr(1, end == 0 ? 0 : end - 1);
    return substitutes ? OfSubstitution(inner, depth) : OfBraces(inner, depth);
  }
  const std::size_t length = NameLength(rest);
  if (length != 0) return ValuesOf(take(rest.front() >= '0' && rest.front() <= '9' ? 1 : length));
  if (!rest.empty() && std::string_view("?#$!").find(rest.front()) != std::string_view::npos)
    return take(1), Values{"1"};
  if (rest.starts_with('@') || rest.starts_with('*')) return take(1), ParametersFrom(1);
  if (rest.starts_with('-')) take(1);
  return {std::string(1, kUnknownText)};
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

Expansion::Values Expansion::Expand(std::string_view word, int depth) const {
  if (word.find_first_of("$~{") == std::string_view::npos) return {std::string(word)};
  Values all;
  for (const std::string& each : ExpandBraces(word)) Put(ExpandWord(each, depth), all);
  return all;
}

Words Expansion::ExpandAll(const Words& words, int depth) const {
  Words all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (std::string& value : Expand(words[i], depth)) {
      if (value == words[i] || i != 0) {
        all.push_back(std::move(value));
      } else {
        Words split = SplitAtBlanks(value);
        std::move(split.begin(), split.end(), std::back_inserter(all));
      }
    }
  }
  return all;
}

Words Expansion::Fields(const ShellCommand& command) const {
  Words all;
  bool first = true;  // the program: its values are told apart
  for (std::size_t i = 0; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    const bool list = IsList(word);
    const bool splits = i < command.splits.size() && command.splits[i] && AssignedName(word).empty();
    Values values;
    if (list || splits) values = Expand(word);
    const bool several = std::any_of(values.begin(), values.end(), [](const std::string& value) {
      return value.empty() || value.find_first_of(" \t\n") != std::string::npos;
    });
    if (list && !IsUnknown(values.front())) {
      std::erase(values, "");
      std::move(values.begin(), values.end(), std::back_inserter(all));
    } else if (several && (!first || values.size() == 1)) {
      for (const std::string& value : values) {
        Words split = SplitAtBlanks(value);
        std::move(split.begin(), split.end(), std::back_inserter(all));
      }
    } else {
      all.push_back(word);
    }
    first &= !AssignedName(word).empty();
  }
  return all;
}

}  // namespace mxc
