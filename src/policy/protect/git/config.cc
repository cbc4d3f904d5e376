#include "policy/protect/git/config.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mxc/fold.h"

namespace mxc {
namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// git passes keys and values on as C strings.
std::string UpToNul(std::string text) {
  text.resize(std::min(text.size(), text.find('\0')));
  return text;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // git skips it as well
  }

  std::vector<GitVariable> Read() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '[') {
        ReadSection();
      } else if (c == '#' || c == ';') {
        SkipLine();
      } else if (c == '\n' || IsBlank(c)) {
        rest_.remove_prefix(1);
      } else {
        ReadVariable();
      }
    }
    return std::move(variables_);
  }

 private:
  // A line ends with LF, CR LF, or the text.
  char Next() {
    if (rest_.empty()) return '\n';
    if (rest_.starts_with("\r\n")) rest_.remove_prefix(1);
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  void SkipLine() {
    while (Next() != '\n') {
    }
  }

  // `[core]`, `[includeIf "gitdir:~/work/"]`, `[remote.origin]`; a variable may follow on the same line.
  void ReadSection() {
    rest_.remove_prefix(1);
    std::string name;
    std::optional<std::string> subsection;
    bool quoted = false;
    for (char c = Next(); c != '\n' && (quoted || c != ']'); c = Next()) {
      if (c == '"') {
        quoted = !quoted;
        if (!subsection) subsection.emplace();
        continue;
      }
      if (quoted && c == '\\') c = Next();
      if (c == '\n') break;
      if (quoted)
        *subsection += c;
      else if (!IsBlank(c))
        name += c;
    }
    stem_ = Folded(name) + (subsection ? "." + *subsection : "") + ".";
  }

  void ReadVariable() {
    std::string name;
    char c = Next();
    for (; c != '=' && c != '\n'; c = Next()) name += c;
    const std::string key = UpToNul(stem_ + Folded(Trim(name)));
    if (c == '\n') return Add(key, "true");
    auto [value, spaced] = ReadValue();
    const bool same = value == spaced;
    Add(key, std::move(value));
    if (!same) Add(key, std::move(spaced));
  }

  // A subsection with NUL ends the key: [core "hookspath\0"] is core.hookspath.
  void Add(std::string_view key, std::string value) {
    variables_.push_back(VariableOf(key, std::move(value)));
  }

  // Up to the end of the line: quotes, escapes, a backslash that continues the line, comments. Inner blanks
  // as they are, and as spaces, as git before 2.45 reads them.
  std::pair<std::string, std::string> ReadValue() {
    std::string value;
    std::string spaced;
    std::string blanks;  // part of the value if more text follows
    bool quoted = false;
    for (char c = Next(); c != '\n'; c = Next()) {
      if (!quoted && IsBlank(c)) {
        if (!value.empty()) blanks += c;
        continue;
      }
      if (!quoted && (c == '#' || c == ';')) {
        SkipLine();
        break;
      }
      value += blanks;
      spaced.append(blanks.size(), ' ');
      blanks.clear();
      if (c == '"') {
        quoted = !quoted;
        continue;
      }
      if (c == '\\') {
        c = Next();
        if (c == '\n') continue;
        c = Escaped(c);
      }
      value += c;
      spaced += c;
    }
    return {UpToNul(std::move(value)), UpToNul(std::move(spaced))};
  }

  static char Escaped(char c) {
    if (c == 'n') return '\n';
    if (c == 'b') return '\b';
    return c == 't' ? '\t' : c;
  }

  std::string_view rest_;
  std::string stem_ = ".";  // of a key: "core.", "remote.origin."
  std::vector<GitVariable> variables_ = {};
};

}  // namespace

GitVariable VariableOf(std::string_view key, std::string value) {
  const std::size_t first = std::min(key.find('.'), key.size());
  const std::size_t last = key.rfind('.');
  GitVariable variable{.section = std::string(key.substr(0, first)), .value = std::move(value)};
  if (last != std::string_view::npos) variable.name = key.substr(last + 1);
  if (first < last && last != std::string_view::npos)
    variable.subsection = key.substr(first + 1, last - first - 1);
  return variable;
}

std::vector<GitVariable> ReadGitConfig(std::string_view text) { return Reader(text).Read(); }

}  // namespace mxc
