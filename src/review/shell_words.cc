#include "review/shell_words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace mxc {
namespace {

constexpr int kMaxSubstitutions = 8;       // of substitutions in substitutions
constexpr std::size_t kMaxSubshells = 64;  // in subshells

bool IsReserved(std::string_view word) {
  constexpr std::string_view kWords[] = {"if",    "then", "else", "elif", "fi", "do",   "done",   "while",
                                         "until", "{",    "}",    "!",    "(",  "case", "coproc", "time"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

class Splitter {
 public:
  Splitter(std::string_view line, int depth, std::vector<int> subshells, int& last_subshell)
      : text_(line), depth_(depth), subshells_(std::move(subshells)), last_subshell_(last_subshell) {}

  Splitter(const Splitter&) = delete;
  Splitter& operator=(const Splitter&) = delete;

  std::vector<ShellCommand> Split() {
    while (!rest_.empty()) Step();
    EndCommand(ShellJoint::kThen);
    return std::move(commands_);
  }

  // Of a here-document nothing but substitutions is executed.
  std::vector<ShellCommand> SplitSubstitutions() {
    while (!rest_.empty()) {
      const char c = Take();
      if (c == '\\' && !rest_.empty()) Take();
      if (c == '`') Backticks();
      if (c == '$') Substitution();
    }
    return std::move(commands_);
  }

 private:
  char Take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void TakeBack() { rest_ = std::string_view(text_).substr(text_.size() - rest_.size() - 1); }
  void Skip(std::size_t bytes) { rest_.remove_prefix(std::min(rest_.size(), bytes)); }
  [[nodiscard]] bool Next(char c) const { return !rest_.empty() && rest_.front() == c; }

  // NOLINTNEXTLINE(readability-function-cognitive-complexity): a case for each byte that means something
  void Step() {
    const char c = Take();
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
        return EndWord();
      case '#':
        if (in_word_) return Add(c);
        Skip(rest_.find('\n'));
        return;
      case '\\':
        if (Next('\n')) return static_cast<void>(Take());
        return rest_.empty() ? Add(c) : Add(Take());
      case '\'':
        in_word_ = true;
        while (!rest_.empty() && !Next('\'')) word_ += Take();
        if (!rest_.empty()) Take();
        return;
      case '"':
        return DoubleQuoted();
      case '`':
        return Backticks();
      case '$':
        if (Next('\'')) return AnsiQuoted();
        if (Next('"')) return;
        return Substitution();
      case '>':
      case '<':
        return Redirect(c);
      case '(':
        if (IsExtendedPattern()) return ExtendedPattern();
        EndCommand(joint_);
        return OpenSubshell();
      case ')':
        EndCommand(ShellJoint::kThen);
        return CloseSubshell();
      case '\n':
        return EndCommand(command_.words.empty() && !in_word_ ? joint_ : ShellJoint::kThen);
      case ';':
        return EndCommand(ShellJoint::kThen);
      case '&':
        if (Next('>')) return Redirect(Take());
        return EndCommand(TakeSecond('&') ? ShellJoint::kAnd : ShellJoint::kThen);
      case '|':
        return EndCommand(TakeSecond('|') ? ShellJoint::kOr : ShellJoint::kPipe);
      default:
        return Add(c);
    }
  }

  bool TakeSecond(char c) {
    if (Next(c)) return Take(), true;
    if (c == '|' && Next('&')) Take();
    return false;
  }

  void Add(char c) {
    word_ += c;
    in_word_ = true;
  }

  void DoubleQuoted() {
    in_word_ = true;
    while (!rest_.empty()) {
      const char c = Take();
      if (c == '"') return;
      if (c == '\\' && !rest_.empty()) {
        if (std::string_view("$`\"\\\n").find(rest_.front()) == std::string_view::npos) word_ += c;
        word_ += Take();
      } else if (c == '`') {
        Backticks();
      } else if (c == '$') {
        Substitution();
      } else {
        word_ += c;
      }
    }
  }

  // "$'\x72m'" is "rm".
  void AnsiQuoted() {
    in_word_ = true;
    Take();
    while (!rest_.empty()) {
      const char c = Take();
      if (c == '\'') return;
      word_ += c == '\\' && !rest_.empty() ? Escaped() : c;
    }
  }
  char Escaped() {
    const char c = Take();
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'x':
        return Number(16, 2);
      case 'u':
        return Number(16, 4);
      case 'U':
        return Number(16, 8);
      default:
        if (DigitOf(c) >= 8) return c;
        TakeBack();
        return Number(8, 3);
    }
  }
  char Number(int base, int digits) {
    int value = 0;
    for (; digits > 0 && !rest_.empty() && DigitOf(rest_.front()) < base; --digits)
      value = (value * base + DigitOf(Take())) & 0xff;
    return static_cast<char>(value);
  }

  // Up to the parenthesis that closes it, which stands in no quotes.
  std::string TakeParentheses() {
    std::size_t end = 0;
    for (int open = 0; end < rest_.size(); ++end) {
      const char c = rest_[end];
      if (c == '\'' || c == '"') end = ClosingQuote(end);
      if (c == '\\') ++end;
      if (c == '(') ++open;
      if (c == ')' && --open == 0) break;
    }
    end = std::min(end, rest_.size());
    std::string inner(rest_.substr(1, end - 1));
    Skip(end + 1);
    return inner;
  }

  // Itself: nothing closes it.
  [[nodiscard]] std::size_t ClosingQuote(std::size_t at) const {
    for (std::size_t end = at + 1; end < rest_.size(); ++end) {
      if (rest_[end] == rest_[at]) return end;
      if (rest_[at] == '"' && rest_[end] == '\\') ++end;
    }
    return at;
  }

  void Substitution() {
    Add('$');
    if (!Next('(')) return;
    const std::string text = TakeParentheses();
    Substituted(text);
    word_ += "(" + text + ")";
  }

  // A word, with the name of what it reads or writes.
  void ProcessSubstitution(char c) {
    Add(c);
    const std::string text = TakeParentheses();
    Substituted(text);
    word_ += "(" + text + ")";
  }

  void Backticks() {
    const std::size_t end = std::min(rest_.find('`'), rest_.size());
    const std::string text(rest_.substr(0, end));
    Skip(end + 1);
    Substituted(text);
    in_word_ = true;
    word_ += "$(" + text + ")";
  }

  void Substituted(const std::string& text) {
    if (depth_ == kMaxSubstitutions) return commands_.push_back({.words = {"eval", text}});
    Keep(Inner(text).Split());
  }
  Splitter Inner(std::string_view text) {
    std::vector<int> subshells = subshells_;
    subshells.push_back(++last_subshell_);
    return {text, depth_ + 1, std::move(subshells), last_subshell_};
  }
  void Keep(std::vector<ShellCommand> inner) {
    std::move(inner.begin(), inner.end(), std::back_inserter(commands_));
  }

  void OpenSubshell() {
    if (subshells_.size() == kMaxSubshells) return static_cast<void>(++deeper_);
    subshells_.push_back(++last_subshell_);
  }
  void CloseSubshell() {
    if (deeper_ != 0) return static_cast<void>(--deeper_);
    if (subshells_.size() > outer_) subshells_.pop_back();
  }

  // "!(x)" among the words of a command; in front of one it is a subshell.
  [[nodiscard]] bool IsExtendedPattern() const {
    return !command_.words.empty() && in_word_ && !word_.empty() &&
           std::string_view("?*+@!").find(word_.back()) != std::string_view::npos;
  }
  void ExtendedPattern() {
    TakeBack();
    word_ += "(" + TakeParentheses() + ")";
  }

  // "2>" has its number in front, ">|", ">>", ">&" and "&>" more behind.
  void Redirect(char c) {
    if (Next('(')) return ProcessSubstitution(c);
    if (word_.find_first_not_of("0123456789") == std::string::npos) word_.clear(), in_word_ = false;
    EndWord();
    if (c == '<' && rest_.starts_with("<<")) {
      Skip(2);
      return static_cast<void>(command_.words.emplace_back("<<<"));
    }
    if (c == '<' && rest_.starts_with("<")) {
      Skip(1);
      return HereDocument();
    }
    while (Next('>') || Next('<') || Next('|') || Next('&')) Take();
    command_.words.emplace_back(1, c);
  }

  // Its lines begin behind the line that it stands in.
  void HereDocument() {
    const bool strips_tabs = Next('-');
    if (strips_tabs) Take();
    while (Next(' ') || Next('\t')) Take();
    std::string delimiter;
    bool quoted = false;
    while (!rest_.empty() &&
           std::string_view(" \t\r\n;&|<>()").find(rest_.front()) == std::string_view::npos) {
      const char c = Take();
      const bool quotes = c == '\'' || c == '"' || c == '\\';
      quoted |= quotes;
      if (!quotes) delimiter += c;
    }
    std::size_t at = rest_.find('\n');
    if (at == std::string::npos) return;
    const std::size_t from = ++at;
    std::string body;
    while (at < rest_.size()) {
      const std::size_t end = std::min(rest_.find('\n', at), rest_.size());
      std::string line(rest_.substr(at, end - at));
      at = std::min(end + 1, rest_.size());
      if (strips_tabs) line.erase(0, std::min(line.find_first_not_of('\t'), line.size()));
      if (line == delimiter) break;
      body += line + "\n";
    }
    text_ = std::string(rest_.substr(0, from)).append(rest_.substr(at));
    rest_ = text_;
    if (!quoted) Keep(Inner(body).SplitSubstitutions());
    command_.input += body;
  }

  void EndWord() {
    if (!std::exchange(in_word_, false)) return;
    std::string word = std::exchange(word_, {});
    if (command_.words.empty() && std::exchange(names_function_, false)) return;
    if (command_.words.empty() && word == "function") return static_cast<void>(names_function_ = true);
    if (command_.words.empty() && IsReserved(word)) return;
    command_.words.push_back(std::move(word));
  }

  // `next` is how the command that follows is joined.
  void EndCommand(ShellJoint next) {
    EndWord();
    if (!command_.words.empty() || !command_.input.empty()) {
      command_.joint = joint_;
      command_.subshells = subshells_;
      commands_.push_back(std::exchange(command_, {}));
    }
    joint_ = next;
  }

  std::string text_;
  std::string_view rest_ = text_;
  int depth_;
  std::vector<int> subshells_;
  std::size_t outer_ = subshells_.size();
  int& last_subshell_;
  std::size_t deeper_ = 0;  // subshells that are not told apart
  std::string word_ = {};
  bool in_word_ = false;
  bool names_function_ = false;
  ShellJoint joint_ = ShellJoint::kThen;
  ShellCommand command_ = {};
  std::vector<ShellCommand> commands_ = {};
};

}  // namespace

std::vector<ShellCommand> ShellCommandsIn(std::string_view line) {
  int last_subshell = 0;
  return Splitter(line, 0, {}, last_subshell).Split();
}

}  // namespace mxc
