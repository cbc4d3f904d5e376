#include "review/shell_words.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include "review/ansi_quotes.h"
#include "review/arithmetic.h"
#include "review/command_words.h"
#include "review/here_documents.h"

namespace mxc {
namespace {

constexpr int kMaxSubstitutions = 8;       // of substitutions in substitutions
constexpr std::size_t kMaxSubshells = 64;  // in subshells

// The first is bash, the others in order: bash as `sh` and ksh, zsh, dash, ash of busybox and later dash.
constexpr ShellReading kReadings[] = {
    {},
    {.quotes_in_braces = QuotesInBraces::kInPatterns},
    {.quotes_in_braces = QuotesInBraces::kNever},
    {.arithmetic_commands = false,
     .dollar_quotes = false,
     .extended = false,
     .quotes_in_braces = QuotesInBraces::kInPatterns},
    {.arithmetic_commands = false, .extended = false, .quotes_in_braces = QuotesInBraces::kInPatterns},
};

bool IsReserved(std::string_view word) {
  constexpr std::string_view kWords[] = {"if",   "then",  "else",  "elif", "fi", "do",
                                         "done", "while", "until", "!",    "("};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

// Of all the text of a line, also in its substitutions.
struct Seen {
  int last_subshell = 0;
  bool closed = true;
  bool too_deep = false;
};

class Splitter {
 public:
  // In a substitution `text` goes on behind its end.
  Splitter(std::string_view text, const ShellReading& reading, bool in_substitution, int depth,
           std::vector<int> subshells, Seen& seen)
      : text_(text),
        reading_(reading),
        in_substitution_(in_substitution),
        depth_(depth),
        subshells_(std::move(subshells)),
        seen_(seen) {}

  Splitter(const Splitter&) = delete;
  Splitter& operator=(const Splitter&) = delete;

  std::vector<ShellCommand> Split() {
    while (!rest_.empty() && !ended_) Step();
    EndCommand(ShellJoint::kThen);
    seen_.closed &= here_documents_.empty() && ended_ == in_substitution_;
    return std::move(commands_);
  }

  // Of a here-document nothing but substitutions is executed.
  std::vector<ShellCommand> SplitSubstitutions() {
    while (!rest_.empty()) {
      const char c = Take();
      if (c == '\\' && !rest_.empty()) Take();
      if (c == '`') Backticks();
      if (c == '$') Dollar(true);
    }
    return std::move(commands_);
  }

  [[nodiscard]] std::size_t Taken() const { return text_.size() - rest_.size(); }

 private:
  // What a ")", a "}" or an `esac` closes.
  struct Opened {
    char by = 0;                // '(', '{', or 'c' of `case`
    std::string function = {};  // whose body it is
    std::size_t body = 0;       // where that begins
    bool subshell = false;
  };
  struct PendingDocument {
    HereDocument document = {};
    std::optional<std::size_t> command = {};  // whose it is; absent: of the one that goes on
  };

  char Take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void TakeBack() { rest_ = text_.substr(Taken() - 1); }
  void Skip(std::size_t bytes) { rest_.remove_prefix(std::min(rest_.size(), bytes)); }
  // A backslash at the end of a line stands between no two bytes.
  void SkipContinuations() {
    while (rest_.starts_with("\\\n")) Skip(2);
  }
  [[nodiscard]] bool Next(char c) const { return !rest_.empty() && rest_.front() == c; }

  // NOLINTNEXTLINE(readability-function-cognitive-complexity): a case for each byte that means something
  void Step() {
    const char c = Take();
    if (Quotes(c, false)) return;
    if (in_pattern_ && StepInPattern(c)) return;
    if (IsInTest() && StepInTest(c)) return;
    switch (c) {
      case '\r':
        if (!Next('\n')) return Add(c);
        return EndWord();
      case ' ':
      case '\t':
        return EndWord();
      case '#':
        if (in_word_) return Add(c);
        Skip(rest_.find('\n'));
        return;
      case '>':
      case '<':
        return Redirect(c);
      case '(':
        return OpenParenthesis();
      case ')':
        return CloseParenthesis();
      case '\n':
        if (array_.empty() && !IsBeforeIn())
          EndCommand(command_.words.empty() && !in_word_ ? joint_ : ShellJoint::kThen);
        else
          EndWord();
        return ReadHereDocuments();
      case ';':
        EndCommand(ShellJoint::kThen);
        SkipContinuations();
        // ";;", ";&" and ";;&" stand before a pattern.
        for (; Next(';') || Next('&'); SkipContinuations())
          Take(), in_pattern_ = !opened_.empty() && opened_.back().by == 'c';
        return;
      case '&':
        SkipContinuations();
        if (reading_.extended && Next('>')) return Redirect(Take());
        return EndCommand(TakeSecond('&') ? ShellJoint::kAnd : ShellJoint::kThen);
      case '|':
        return EndCommand(TakeSecond('|') ? ShellJoint::kOr : ShellJoint::kPipe);
      case '[':
        return IsSubscript() ? Bracketed(c) : Add(c);
      default:
        return Add(c);
    }
  }

  // "case x", "for x", "select x": the line may end in front of `in`.
  [[nodiscard]] bool IsBeforeIn() {
    if (!IsOneOf(keyword_, "case|for|select")) return false;
    EndWord();
    return command_.words.size() == 2;
  }

  // "a[" where an assignment may stand
  [[nodiscard]] bool IsSubscript() const {
    return reading_.extended && !in_pattern_ && !quoted_ && !word_.empty() &&
           NameLength(word_) == word_.size() &&
           std::none_of(command_.words.begin(), command_.words.end(),
                        [](const std::string& word) { return AssignedName(word).empty(); });
  }
  // Up to its "]", with blanks; if nothing closes it, it is a byte as others.
  void Bracketed(char c) {
    Add(c);
    const std::size_t bytes = bracket_open_ ? 0 : LengthToClosing(rest_, '[', ']');
    bracket_open_ |= bytes == 0;  // nor does anything close those behind it
    if (bytes == 0 || nested_ > kMaxSubshells) return;
    ++nested_;
    for (const std::size_t end = Taken() + bytes; Taken() < end && !rest_.empty();) {
      const char inner = Take();
      if (!Quotes(inner, false)) Add(inner);
    }
    --nested_;
  }

  // "a|b)" of `case`
  bool StepInPattern(char c) {
    if (c == '|' || c == '\n') return EndWord(), true;
    if (c != ')' && c != '(') return false;
    EndWord();
    if (!in_pattern_) return false;  // "esac)"
    Forget();
    in_pattern_ = c == '(';
    return true;
  }

  // Between "[[" and "]]" these neither end a command nor redirect.
  [[nodiscard]] bool IsInTest() const {
    const std::vector<std::string>& words = command_.words;
    return reading_.extended && keyword_ == "[[" && words.back() != "]]" && word_ != "]]";
  }
  bool StepInTest(char c) {
    if (c == '|' || c == '&') return EndWord(), true;
    const bool plain = std::string_view("()<>").find(c) != std::string_view::npos;
    if (plain) Add(c);
    return plain;
  }

  bool TakeSecond(char c) {
    SkipContinuations();
    if (Next(c)) return Take(), true;
    if (c == '|' && Next('&')) Take();
    return false;
  }

  static char Literal(char c) { return c == '$' ? kLiteralDollar : c; }
  void Add(char c) {
    word_ += c;
    in_word_ = true;
  }

  // `quoted`: inside of "...", where "'" is itself.
  bool Quotes(char c, bool quoted) {
    switch (c) {
      case '\\':
        if (Next('\n'))
          Take();
        else
          quoted_ = true, Add(rest_.empty() ? c : Literal(Take()));
        return true;
      case '\'':
        if (quoted) return false;
        in_word_ = quoted_ = true;
        while (!rest_.empty() && !Next('\'')) word_ += Literal(Take());
        return TakeClosing(), true;
      case '"':
        return DoubleQuoted(), true;
      case '`':
        splits_ |= !quoted;
        return Backticks(), true;
      case '$':
        SkipContinuations();
        if (!quoted && (Next('\'') || Next('"')) && !reading_.dollar_quotes) return Add(kLiteralDollar), true;
        if (!quoted && Next('\'')) return AnsiQuoted(), true;
        if (quoted || !Next('"')) Dollar(quoted);
        return true;
      default:
        return false;
    }
  }
  void TakeClosing() {
    seen_.closed &= !rest_.empty();
    Skip(1);
  }

  void DoubleQuoted() {
    in_word_ = quoted_ = true;
    while (!rest_.empty() && !Next('"')) {
      const char c = Take();
      if (c == '\\' && Next('\n')) {
        Take();
      } else if (c == '\\' && !rest_.empty()) {
        if (std::string_view("$`\"\\").find(rest_.front()) == std::string_view::npos) word_ += c;
        word_ += Literal(Take());
      } else if (!Quotes(c, true)) {
        word_ += c;
      }
    }
    TakeClosing();
  }

  void AnsiQuoted() {
    in_word_ = quoted_ = true;
    Take();
    for (const char c : TakeAnsiQuoted(rest_)) word_ += Literal(c);
    TakeClosing();
  }

  void Dollar(bool quoted) {
    splits_ |= !quoted;
    Add('$');
    if (Next('{')) return Braces(quoted);
    if (Next('[') && reading_.extended) return Bracketed(Take());
    const std::size_t bytes = IsDeep() ? 0 : ArithmeticExpansionLength(rest_, reading_);
    if (bytes != 0) return Arithmetic(bytes);
    if (Next('(')) Substitution();
  }

  // "${X:-a b}": a blank in it ends no word.
  void Braces(bool quoted) {
    Add(Take());
    const std::string_view from = rest_;
    if (++nested_ > kMaxSubshells) Skip(rest_.size());
    const QuotesInBraces mode = reading_.quotes_in_braces;
    const bool in_pattern = quoted && IsPatternBehindName(rest_);
    const bool as_outside = !quoted || (in_pattern && mode != QuotesInBraces::kNever);
    while (!rest_.empty() && !Next('}')) {
      const char c = Take();
      if (c == '\'' && !as_outside && mode == QuotesInBraces::kAlways)
        PairedQuote();
      else if (!Quotes(c, !as_outside))
        Add(c);
    }
    --nested_;
    // "${ x; }" and "${| x; }" of ksh and bash 5.3
    const std::string_view inner = from.substr(0, from.size() - rest_.size());
    if (!inner.empty() && std::string_view(" \t\n|").find(inner.front()) != std::string_view::npos)
      Commands(inner.substr(1));
    Add('}');
    TakeClosing();
  }
  // It stays in the text, but what is between is no "}".
  void PairedQuote() {
    const bool escapes = word_.ends_with('$');
    Add('\'');
    while (!rest_.empty() && !Next('\'')) {
      const char c = Take();
      Add(Literal(c));
      if (escapes && c == '\\' && !rest_.empty()) Add(Literal(Take()));
    }
    Add('\'');
    TakeClosing();
  }
  [[nodiscard]] bool IsDeep() const { return opened_.size() + nested_ > kMaxSubshells; }

  // A text that is executed as part of a word.
  void Commands(std::string_view text) {
    if (depth_ >= kMaxSubstitutions)
      seen_.too_deep = true;
    else
      KeepSubstituted(Splitter(text, reading_, false, depth_ + 1, SubshellInside(), seen_).Split());
  }

  void Arithmetic(std::size_t bytes) {
    ++nested_;
    for (const std::size_t end = Taken() + bytes; Taken() < end;) {
      const char c = Take();
      if (c == '$' || c == '`')
        Quotes(c, true);
      else
        Add(c);
    }
    --nested_;
  }

  // Behind its "$", "<" or ">".
  void Substitution() {
    Take();
    const std::string_view from = rest_;
    if (depth_ >= kMaxSubstitutions) {
      seen_.too_deep = true;
      Skip(rest_.size());
    } else {
      Splitter inner(rest_, reading_, true, depth_ + 1, SubshellInside(), seen_);
      KeepSubstituted(inner.Split());
      Skip(inner.Taken());
    }
    const std::string_view text = from.substr(0, from.size() - rest_.size());
    word_ += "(" + std::string(text.substr(0, text.rfind(')'))) + ")";
  }

  // Up to the next that has no backslash in front, whatever is quoted.
  void Backticks() {
    std::string text;
    while (!rest_.empty() && !Next('`')) {
      char c = Take();
      if (c == '\\' && !rest_.empty() &&
          std::string_view("$`\\").find(rest_.front()) != std::string_view::npos)
        c = Take();
      text += c;
    }
    TakeClosing();
    if (depth_ >= kMaxSubstitutions)
      seen_.too_deep = true;
    else
      KeepSubstituted(Splitter(text, reading_, false, depth_ + 1, SubshellInside(), seen_).Split());
    in_word_ = true;
    word_ += "$(" + text + ")";
  }

  [[nodiscard]] std::vector<int> SubshellInside() {
    std::vector<int> subshells = subshells_;
    subshells.push_back(++seen_.last_subshell);
    return subshells;
  }
  void KeepSubstituted(std::vector<ShellCommand> inner) {
    for (ShellCommand& command : inner) {
      command.substituted = true;
      command.in_function |= functions_ != 0;
      commands_.push_back(std::move(command));
    }
  }

  void OpenParenthesis() {
    SkipContinuations();
    if (BeginsArray()) return;
    if (IsExtendedPattern()) return ExtendedPattern();
    EndWord();
    if (DefinesFunction()) return;
    const bool counts = command_.words.size() == 1 && keyword_ == "for";
    if (reading_.arithmetic_commands && (command_.words.empty() || counts)) {
      TakeBack();
      if (const std::size_t bytes = IsDeep() ? 0 : ArithmeticLength(rest_); bytes != 0) {
        Arithmetic(bytes);
        // `then`, `do` and "{" may stand behind it.
        return EndCommand(ShellJoint::kThen);
      }
      Take();
    }
    EndCommand(joint_);
    Open('(');
  }
  void CloseParenthesis() {
    if (!array_.empty()) {
      EndWord();
      return array_.clear();
    }
    EndCommand(ShellJoint::kThen);
    if (Close('(')) return;
    ended_ = in_substitution_;
    seen_.closed &= in_substitution_;
  }

  void Open(char by) {
    Opened opened{.by = by, .function = std::exchange(function_, {}), .body = Taken()};
    opened.subshell = by == '(' && subshells_.size() < kMaxSubshells;
    if (opened.subshell) subshells_.push_back(++seen_.last_subshell);
    if (!opened.function.empty()) ++functions_;
    opened_.push_back(std::move(opened));
  }
  // With what is open inside of it.
  bool Close(char by) {
    if (std::none_of(opened_.rbegin(), opened_.rend(), [&](const Opened& each) { return each.by == by; }))
      return false;
    for (bool closes = false; !closes;) {
      const Opened last = std::move(opened_.back());
      opened_.pop_back();
      closes = last.by == by;
      if (last.subshell) subshells_.pop_back();
      if (last.function.empty()) continue;
      --functions_;
      const std::string_view body = text_.substr(last.body, Taken() - last.body);
      commands_.push_back(
          {.words = {"function", last.function, std::string(body.substr(0, body.find_last_of(")}")))},
           .splits = {false, false, false},
           .subshells = subshells_});
    }
    return true;
  }

  // "f() {", "function f() {"
  bool DefinesFunction() {
    if (command_.words.size() > 1) return false;
    const std::size_t end = rest_.find_first_not_of(" \t");
    if (end == std::string_view::npos || rest_[end] != ')') return false;
    if (command_.words.size() == 1) function_ = command_.words.front();
    if (function_.empty()) return false;
    Skip(end + 1);
    Forget();
    return true;
  }

  // "a=(", "a+=("
  bool BeginsArray() {
    const std::string_view name = AssignedName(word_);
    if (name.empty() || !word_.ends_with('=')) return false;
    array_ = std::string(name) + "=";
    word_ = array_;
    EndWord();
    return true;
  }

  void Forget() {
    command_ = {};
    keyword_.clear();
  }

  // "!(x)" among the words of a command; in front of one it is a subshell.
  [[nodiscard]] bool IsExtendedPattern() const {
    return !command_.words.empty() && in_word_ && !word_.empty() &&
           std::string_view("?*+@!").find(word_.back()) != std::string_view::npos;
  }
  void ExtendedPattern() {
    Add('(');
    for (int open = 1; !rest_.empty() && open != 0;) {
      const char c = Take();
      if (Quotes(c, false)) continue;
      if (c == '(') ++open;
      if (c == ')') --open;
      Add(c);
    }
  }

  // "{x}" of "{x}>file"
  static bool IsNamedDescriptor(std::string_view word) {
    return word.size() > 2 && word.starts_with('{') && NameLength(word.substr(1)) == word.size() - 2 &&
           word.ends_with('}');
  }

  // "2>" has its number in front, ">|", ">>", ">&" and "&>" more behind.
  void Redirect(char c) {
    SkipContinuations();
    if (Next('(')) return Add(c), Substitution();
    if (word_.find_first_not_of("0123456789") == std::string::npos ||
        (reading_.extended && IsNamedDescriptor(word_)))
      word_.clear(), in_word_ = false;
    EndWord();
    if (c == '<' && rest_.starts_with("<<")) {
      Skip(2);
      return AddWord("<<<");
    }
    if (c == '<' && rest_.starts_with("<")) {
      Skip(1);
      return here_documents_.push_back({.document = TakeHereDocument(rest_, reading_.dollar_quotes)});
    }
    SkipContinuations();
    while (Next('>') || Next('<') || Next('|') || Next('&')) Take();
    AddWord(std::string(1, c));
  }

  // Their lines begin behind the line that they are named in.
  void ReadHereDocuments() {
    for (const PendingDocument& pending : std::exchange(here_documents_, {})) {
      std::string body;
      seen_.closed &= TakeBody(pending.document, rest_, body);
      (pending.command ? commands_[*pending.command] : command_).input += body;
      if (pending.document.quoted) continue;
      KeepSubstituted(Splitter(body, reading_, false, depth_ + 1, subshells_, seen_).SplitSubstitutions());
    }
  }

  void EndWord() {
    const bool splits = std::exchange(splits_, false);
    const bool quoted = std::exchange(quoted_, false);
    if (!std::exchange(in_word_, false)) return;
    std::string word = std::exchange(word_, {});
    if (!array_.empty()) {
      // "[key]=value"
      const std::size_t value = word.starts_with('[') ? word.find("]=") + 2 : 0;
      if (word != array_) word = array_ + word.substr(value < 2 ? 0 : value);
    } else if (!quoted && EndsHead(word)) {
      EndCommand(ShellJoint::kThen);
      return word == "{" ? Open('{') : static_cast<void>(0);
    } else if (!quoted && word == "{" &&
               (command_.words.empty() || IsOneOf(command_.words.front(), "time|coproc|always"))) {
      Forget();
      return Open('{');
    } else if (command_.words.empty()) {
      if (std::exchange(names_function_, false)) return static_cast<void>(function_ = std::move(word));
      if (!quoted && word == "esac" && Close('c')) return static_cast<void>(in_pattern_ = false);
      if (!in_pattern_ && !quoted) {
        if (!function_.empty() && IsOneOf(word, "for|if|while|until|case|select")) FunctionFrom(word);
        if (word == "function" && reading_.extended) return static_cast<void>(names_function_ = true);
        if (word == "}") return static_cast<void>(Close('{'));
        if (IsReserved(word)) return;
        keyword_ = word;
      }
    }
    const bool ends_head = command_.words.size() == 2 && keyword_ == "case" && word == "in";
    AddWord(std::move(word), splits);
    if (!ends_head) return;
    EndCommand(ShellJoint::kThen);
    Open('c');
    in_pattern_ = true;
  }
  // "f() if ...": where its body ends is not looked for, it goes on to the end of the text.
  void FunctionFrom(std::string_view word) {
    if (++endless_ > kMaxSubshells) {
      seen_.too_deep = true;
      return function_.clear();
    }
    // With a backslash at the end of a line in it, the word stands nowhere as it is.
    const std::string_view body = text_.substr(std::min(text_.rfind(word, Taken()), Taken()));
    commands_.push_back({.words = {"function", std::exchange(function_, {}), std::string(body)},
                         .splits = {false, false, false},
                         .subshells = subshells_});
  }
  // "for x do", "for x {", "[[ x ]] then"
  [[nodiscard]] bool EndsHead(std::string_view word) const {
    if (!IsOneOf(word, "do|then|{")) return false;
    if (keyword_ == "[[") return reading_.extended && command_.words.back() == "]]";
    return command_.words.size() == 2 && IsOneOf(keyword_, "for|select");
  }
  void AddWord(std::string word, bool splits = false) {
    command_.words.push_back(std::move(word));
    command_.splits.push_back(splits);
  }

  // `next` is how the command that follows is joined.
  void EndCommand(ShellJoint next) {
    EndWord();
    const bool reads = std::any_of(here_documents_.begin(), here_documents_.end(),
                                   [](const PendingDocument& each) { return !each.command; });
    if (!command_.words.empty() || !command_.input.empty() || reads) {
      for (PendingDocument& each : here_documents_) {
        if (!each.command) each.command = commands_.size();
      }
      command_.joint = joint_;
      command_.subshells = subshells_;
      command_.in_function = functions_ != 0;
      commands_.push_back(std::exchange(command_, {}));
    }
    keyword_.clear();
    joint_ = next;
  }

  std::string_view text_;
  std::string_view rest_ = text_;
  const ShellReading& reading_;
  bool in_substitution_;
  bool ended_ = false;  // by the parenthesis that closes the substitution
  int depth_;
  std::vector<int> subshells_;
  Seen& seen_;
  std::vector<Opened> opened_ = {};
  std::size_t nested_ = 0;   // braces and arithmetic
  std::size_t endless_ = 0;  // functions whose bodies go on to the end
  int functions_ = 0;        // among what is open
  bool names_function_ = false;
  std::string function_ = {};  // that is defined next
  std::string array_ = {};     // "a=" of the array whose values follow
  bool in_pattern_ = false;    // of `case`
  std::string word_ = {};
  bool in_word_ = false;
  bool quoted_ = false;       // something of the word: it is no reserved one
  std::string keyword_ = {};  // the command's first word, where it may be a reserved one
  bool bracket_open_ = false;
  bool splits_ = false;
  ShellJoint joint_ = ShellJoint::kThen;
  ShellCommand command_ = {};
  std::vector<PendingDocument> here_documents_ = {};  // that are still to be read
  std::vector<ShellCommand> commands_ = {};
};

}  // namespace

std::span<const ShellReading> ShellReadings() { return kReadings; }

ShellLine ReadShellLine(std::string_view line, const ShellReading& reading) {
  Seen seen;
  ShellLine read;
  read.commands = Splitter(line, reading, false, 0, {}, seen).Split();
  read.closed = seen.closed;
  read.too_deep = seen.too_deep;
  return read;
}

ShellLine ReadSubstitutions(std::string_view text, const ShellReading& reading) {
  Seen seen;
  ShellLine read;
  read.commands = Splitter(text, reading, false, 0, {}, seen).SplitSubstitutions();
  read.too_deep = seen.too_deep;
  return read;
}

std::size_t SubstitutionLength(std::string_view text) {
  constexpr ShellReading kReading;
  Seen seen;
  Splitter inner(text.substr(1), kReading, true, 0, {}, seen);
  static_cast<void>(inner.Split());
  return inner.Taken() + 1;
}

}  // namespace mxc
