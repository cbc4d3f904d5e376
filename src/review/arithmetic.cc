#include "review/arithmetic.h"

#include <algorithm>

#include "review/command_words.h"

namespace mxc {
namespace {

// Behind the quote at `begin`: the index of the one that closes it, or the size of the text.
std::size_t EndOfQuoted(std::string_view text, std::size_t begin, bool escapes) {
  std::size_t i = begin + 1;
  for (; i < text.size() && text[i] != text[begin]; ++i) {
    if (escapes && text[i] == '\\') ++i;
  }
  return i;
}

// bash executes "$((...))" where its parentheses do not match, those in `...` with them.
bool ParenthesesMatch(std::string_view inner) {
  int open = 0;
  for (std::size_t i = 0; i < inner.size(); ++i) {
    const char c = inner[i];
    if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"') {
      i = EndOfQuoted(inner, i, c == '"');
    } else if (c == '(') {
      ++open;
    } else if (c == ')' && --open < 0) {
      return false;
    }
  }
  return open == 0;
}

// dash knows no quotes in it, and goes on up to "))".
std::size_t LengthWithoutQuotes(std::string_view text) {
  int open = 0;
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] == '\\')
      ++i;
    else if (text[i] == '(')
      ++open;
    else if (text[i] == ')' && open > 0)
      --open;
    else if (text.substr(i).starts_with("))"))
      return i + 2;
  }
  return 0;
}

}  // namespace

std::size_t LengthToClosing(std::string_view text, char opens, char closes) {
  int open = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\') {
      ++i;
    } else if (c == '\'' || c == '"' || c == '`') {
      i = EndOfQuoted(text, i, c != '\'' || (i > 0 && text[i - 1] == '$'));
    } else if (c == opens) {
      ++open;
    } else if (c == closes && --open == 0) {
      return i + 1;
    }
  }
  return 0;
}

std::size_t ArithmeticLength(std::string_view text) {
  if (!text.starts_with("((")) return 0;
  const std::size_t inner = LengthToClosing(text.substr(2), '(', ')');
  return inner != 0 && text.substr(2 + inner).starts_with(')') ? inner + 3 : 0;
}

std::size_t ArithmeticExpansionLength(std::string_view text, const ShellReading& reading) {
  if (!text.starts_with("((")) return 0;
  if (!reading.arithmetic_commands) return LengthWithoutQuotes(text);
  const std::size_t bytes = ArithmeticLength(text);
  return bytes != 0 && ParenthesesMatch(text.substr(2, bytes - 4)) ? bytes : 0;
}

bool IsPatternBehindName(std::string_view inner) {
  inner.remove_prefix(inner.starts_with('!') ? 1 : 0);
  std::size_t name = NameLength(inner);
  if (name == 0)
    name = std::string_view("@*#?$!-").find(inner.substr(0, 1)) == std::string_view::npos ? 0 : 1;
  inner.remove_prefix(std::min(name, inner.size()));
  if (inner.starts_with('[')) inner.remove_prefix(std::min(inner.find(']'), inner.size() - 1) + 1);
  return !inner.empty() && std::string_view("#%/^,").find(inner.front()) != std::string_view::npos;
}

}  // namespace mxc
