#include "review/ansi_quotes.h"

namespace mxc {
namespace {

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

char Take(std::string_view& rest) {
  const char c = rest.front();
  rest.remove_prefix(1);
  return c;
}

int Number(std::string_view& rest, int base, int digits) {
  int value = 0;
  for (; digits > 0 && !rest.empty() && DigitOf(rest.front()) < base; --digits)
    value = ((value * base) + DigitOf(Take(rest))) & 0xffffff;
  return value;
}

// A character beyond ASCII is no quote and no blank, whatever its last byte says.
std::string Character(int value) { return value < 0x80 ? std::string(1, static_cast<char>(value)) : "?"; }

// Behind a backslash.
std::string Escaped(std::string_view& rest) {
  if (DigitOf(rest.front()) < 8) return std::string(1, static_cast<char>(Number(rest, 8, 3) & 0xff));
  const char c = Take(rest);
  switch (c) {
    case 'a':
      return "\a";
    case 'b':
      return "\b";
    case 'e':
    case 'E':
      return "\x1b";
    case 'f':
      return "\f";
    case 'n':
      return "\n";
    case 'r':
      return "\r";
    case 't':
      return "\t";
    case 'v':
      return "\v";
    case 'c':
      return rest.empty() || rest.front() == '\'' ? "" : std::string(1, static_cast<char>(Take(rest) & 0x1f));
    case 'x': {
      if (!rest.starts_with('{')) return std::string(1, static_cast<char>(Number(rest, 16, 2)));
      Take(rest);
      const int value = Number(rest, 16, 8);
      if (rest.starts_with('}')) Take(rest);
      return std::string(1, static_cast<char>(value & 0xff));
    }
    case 'u':
      return Character(Number(rest, 16, 4));
    case 'U':
      return Character(Number(rest, 16, 8));
    default:
      return std::string(1, c);
  }
}

}  // namespace

std::string TakeAnsiQuoted(std::string_view& rest) {
  std::string text;
  bool ended = false;
  while (!rest.empty() && rest.front() != '\'') {
    const char c = Take(rest);
    const std::string next = c == '\\' && !rest.empty() ? Escaped(rest) : std::string(1, c);
    ended |= next == std::string_view("\0", 1);  // a NUL ends the text, not the quotes
    if (!ended) text += next;
  }
  return text;
}

}  // namespace mxc
