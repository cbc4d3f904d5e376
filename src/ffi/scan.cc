#include "ffi/scan.h"

#include <charconv>
#include <cstdint>

namespace mxc::ffi {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kHexDigits = "0123456789abcdef";

void SkipBlanks(std::string_view& rest) {
  const std::size_t blanks = rest.find_first_not_of(kBlanks);
  rest.remove_prefix(blanks == std::string_view::npos ? rest.size() : blanks);
}

bool Take(std::string_view& rest, char c) {
  SkipBlanks(rest);
  if (rest.empty() || rest.front() != c) return false;
  rest.remove_prefix(1);
  return true;
}

// Its length with both quotes; 0: it does not end.
std::size_t LengthOfString(std::string_view text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return 0;
}

// The value at the front, whatever it is; empty: it does not end.
std::string_view TakeValue(std::string_view& rest) {
  SkipBlanks(rest);
  std::size_t depth = 0;
  std::size_t at = 0;
  while (at < rest.size()) {
    const char c = rest[at];
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (closes || c == ',' || kBlanks.find(c) != std::string_view::npos)) break;
    const std::size_t length = c == '"' ? LengthOfString(rest.substr(at)) : 1;
    if (length == 0) return {};
    at += length;
    if (c == '{' || c == '[') ++depth;
    if (closes) --depth;
    const bool ended = depth == 0 && (closes || c == '"');
    if (ended) break;
  }
  if (depth != 0) return {};
  const std::string_view value = rest.substr(0, at);
  rest.remove_prefix(at);
  return value;
}

std::optional<char32_t> HexAt(std::string_view text, std::size_t at) {
  if (text.size() < at + 4) return std::nullopt;
  std::uint32_t code = 0;
  const auto [end, error] = std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
  if (error != std::errc{} || end != text.data() + at + 4) return std::nullopt;
  return code;
}

void Append(std::string& text, char32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xc0U | code >> 6U);
  } else {
    if (code < 0x10000) {
      add(0xe0U | code >> 12U);
    } else {
      add(0xf0U | code >> 18U);
      add(0x80U | (code >> 12U & 0x3fU));
    }
    add(0x80U | (code >> 6U & 0x3fU));
  }
  add(0x80U | (code & 0x3fU));
}

// Behind "\u": one character, of two escapes where it needs a pair. Moves `at` to its last digit.
bool AppendEscaped(std::string_view text, std::size_t& at, std::string& out) {
  std::optional<char32_t> code = HexAt(text, at + 1);
  if (!code) return false;
  at += 4;
  const bool pair = *code >= 0xd800 && *code < 0xdc00 && text.substr(at + 1, 2) == "\\u";
  const std::optional<char32_t> low = pair ? HexAt(text, at + 3) : std::nullopt;
  if (low && *low >= 0xdc00 && *low < 0xe000) {
    code = 0x10000 + ((*code - 0xd800) << 10U) + (*low - 0xdc00);
    at += 6;
  }
  Append(out, *code >= 0xd800 && *code < 0xe000 ? U'\xfffd' : *code);
  return true;
}

}  // namespace

std::string_view MemberOf(std::string_view object, std::string_view name) {
  if (!Take(object, '{')) return {};
  for (;;) {
    const std::string_view key = TakeValue(object);
    if (key.empty() || !Take(object, ':')) return {};
    const std::string_view value = TakeValue(object);
    if (value.empty()) return {};
    if (TextOf(key) == name) return value;
    if (!Take(object, ',')) return {};
  }
}

std::vector<std::string_view> ItemsOf(std::string_view array) {
  std::vector<std::string_view> items;
  if (!Take(array, '[')) return items;
  do {
    const std::string_view item = TakeValue(array);
    if (item.empty()) break;
    items.push_back(item);
  } while (Take(array, ','));
  return items;
}

std::optional<std::string> TextOf(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::nullopt;
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const std::string_view inner = value.substr(1, value.size() - 2);
  std::string text;
  for (std::size_t at = 0; at < inner.size(); ++at) {
    if (inner[at] != '\\') {
      text += inner[at];
      continue;
    }
    if (++at == inner.size()) return std::nullopt;
    const std::size_t letter = kLetters.find(inner[at]);
    if (letter != std::string_view::npos) {
      text += kMeanings[letter];
    } else if (inner[at] != 'u' || !AppendEscaped(inner, at, text)) {
      return std::nullopt;
    }
  }
  return text;
}

std::string TextMember(std::string_view object, std::string_view name) {
  return TextOf(MemberOf(object, name)).value_or("");
}

std::optional<int> NumberMember(std::string_view object, std::string_view name) {
  const std::string_view value = MemberOf(object, name);
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (value.empty() || error != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  return number;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') quoted += '\\';
    if (byte < 0x20) {
      quoted += "\\u00";
      quoted += kHexDigits[byte >> 4U];
      quoted += kHexDigits[byte & 15U];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace mxc::ffi
