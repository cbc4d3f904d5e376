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

char Number(std::string_view& rest, int base, int digits) {
  int value = 0;
  for (; digits > 0 && !rest.empty() && DigitOf(rest.front()) < base; --digits)
    value = (value * base + DigitOf(Take(rest))) & 0xff;
  return static_cast<char>(value);
}

// Behind a backslash.
char Escaped(std::string_view& rest) {
  if (DigitOf(rest.front()) < 8) return Number(rest, 8, 3);
  const char c = Take(rest);
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'x':
      return Number(rest, 16, 2);
    case 'u':
      return Number(rest, 16, 4);
    case 'U':
      return Number(rest, 16, 8);
    default:
      return c;
  }
}

}  // namespace

std::string TakeAnsiQuoted(std::string_view& rest) {
  std::string text;
  while (!rest.empty() && rest.front() != '\'') {
    const char c = Take(rest);
    text += c == '\\' && !rest.empty() ? Escaped(rest) : c;
  }
  return text;
}

}  // namespace mxc
