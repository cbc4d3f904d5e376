#include "review/shell_words.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace mxc {
namespace {

constexpr int kMaxSubstitutions = 8;  // of substitutions in substitutions

bool IsReserved(std::string_view word) {
  constexpr std::string_view kWords[] = {"if",    "then", "else", "elif", "fi", "do",   "done",   "while",
                                         "until", "{",    "}",    "!",    "(",  "case", "coproc", "time"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

class Splitter {
 public:
  explicit Splitter(std::string_view line, int depth) : rest_(line), depth_(depth) {}

  std::vector<ShellCommand> Split() {
    while (!rest_.empty()) Step();
    EndCommand();
    return std::move(commands_);
  }

 private:
  char Take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  [[nodiscard]] bool Next(char c) const { return !rest_.empty() && rest_.front() == c; }

  void Step() {
    const char c = Take();
    switch (c) {
      case ' ':
      case '\t':
      case '\r':
        return EndWord();
      case '#':
        if (in_word_) return Add(c);
        rest_.remove_prefix(std::min(rest_.size(), rest_.find('\n')));
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
        return Dollar();
      case '>':
      case '<':
        return Redirect(c);
      case ';':
      case '&':
      case '|':
      case '\n':
      case '(':
      case ')':
        return EndCommand();
      default:
        return Add(c);
    }
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
        word_ += Take();
      } else if (c == '`') {
        Backticks();
      } else if (c == '$') {
        Dollar();
      } else {
        word_ += c;
      }
    }
  }

  // Up to the parenthesis that closes it; quotes in it are not looked at.
  void Dollar() {
    Add('$');
    if (!Next('(')) return;
    std::size_t end = 0;
    for (int open = 0; end < rest_.size(); ++end) {
      if (rest_[end] == '(') ++open;
      if (rest_[end] == ')' && --open == 0) break;
    }
    Substituted(rest_.substr(1, end - 1));
    rest_.remove_prefix(std::min(rest_.size(), end + 1));
  }

  void Backticks() {
    const std::size_t end = std::min(rest_.find('`'), rest_.size());
    Substituted(rest_.substr(0, end));
    rest_.remove_prefix(std::min(rest_.size(), end + 1));
    Add('$');
  }

  void Substituted(std::string_view text) {
    if (depth_ == kMaxSubstitutions) return commands_.push_back({"eval", std::string(text)});
    std::vector<ShellCommand> inner = Splitter(text, depth_ + 1).Split();
    std::move(inner.begin(), inner.end(), std::back_inserter(commands_));
  }

  // "2>" has its number in front, ">|", ">>", ">&" and "&>" more behind.
  void Redirect(char c) {
    if (word_.find_first_not_of("0123456789") == std::string::npos) word_.clear(), in_word_ = false;
    EndWord();
    while (Next('>') || Next('<') || Next('|') || Next('&')) Take();
    command_.emplace_back(1, c);
  }

  void EndWord() {
    if (!std::exchange(in_word_, false)) return;
    std::string word = std::exchange(word_, {});
    if (command_.empty() && IsReserved(word)) return;
    command_.push_back(std::move(word));
  }

  void EndCommand() {
    EndWord();
    if (!command_.empty()) commands_.push_back(std::exchange(command_, {}));
  }

  std::string_view rest_;
  int depth_;
  std::string word_ = {};
  bool in_word_ = false;
  ShellCommand command_ = {};
  std::vector<ShellCommand> commands_ = {};
};

}  // namespace

std::vector<ShellCommand> ShellCommandsIn(std::string_view line) { return Splitter(line, 0).Split(); }

}  // namespace mxc
