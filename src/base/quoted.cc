#include "base/quoted.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/utf8.h"

namespace mxc {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

struct Span {
  char32_t first;
  char32_t last;
};

// Of Unicode's control and format characters those that terminals and editors obey, the separators that some
// take for the end of a line, and what shows nothing, or a blank: Default_Ignorable_Code_Point
// (DerivedCoreProperties.txt), White_Space (PropList.txt) but for the space, and characters whose glyph is
// empty.
constexpr Span kUnseen[] = {
    {0x00, 0x1f},       {0x7f, 0xa0},       {0xad, 0xad},       {0x34f, 0x34f},     {0x61c, 0x61c},
    {0x115f, 0x1160},   {0x1680, 0x1680},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x2000, 0x200f},
    {0x2028, 0x202f},   {0x205f, 0x206f},   {0x2800, 0x2800},   {0x3000, 0x3000},   {0x3164, 0x3164},
    {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},   {0xfff0, 0xfffb},   {0x13430, 0x13442},
    {0x16fe4, 0x16fe4}, {0x1bca0, 0x1bca3}, {0x1d159, 0x1d159}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};

bool IsPlain(const Character& character) {
  return character.valid && std::none_of(std::begin(kUnseen), std::end(kUnseen), [&](const Span& span) {
           return character.code >= span.first && character.code <= span.last;
         });
}

void AppendByte(std::string& out, char c) {
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0xfU];
}

void AppendUnit(std::string& out, std::uint32_t unit) {
  out += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) out += kDigits[unit >> shift & 0xfU];
}

// `escape` appends what stands for a character that is not plain.
template <class Escape>
std::string EachCharacter(std::string_view text, Escape escape) {
  std::string out;
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    const Character character = FirstCharacter(text);
    const std::string_view bytes = text.substr(0, character.bytes);
    if (IsPlain(character)) {
      out += bytes;
    } else {
      escape(out, character, bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

void AppendBytes(std::string& out, const Character& /*character*/, std::string_view bytes) {
  for (const char c : bytes) AppendByte(out, c);
}

}  // namespace

std::string Escaped(std::string_view text) { return EachCharacter(text, AppendBytes); }

std::string EscapedLabel(std::string_view label) {
  std::string out;
  for (const char c : label) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '.' && c != '\\') {
      out += c;
      continue;
    }
    out += '\\';
    for (const unsigned divisor : {100U, 10U, 1U}) out += static_cast<char>('0' + byte / divisor % 10);
  }
  return out;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : Escaped(text)) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string EscapedJson(std::string_view json) {
  return EachCharacter(json, [](std::string& out, const Character& character, std::string_view bytes) {
    if (character.valid && character.code < 0x20) {  // between tokens; in a string it would be no JSON
      out += bytes;
    } else if (!character.valid) {
      AppendUnit(out, 0xfffd);
    } else if (character.code < 0x10000) {
      AppendUnit(out, character.code);
    } else {
      const std::uint32_t rest = character.code - 0x10000;
      AppendUnit(out, 0xd800 + (rest >> 10U));
      AppendUnit(out, 0xdc00 + (rest & 0x3ffU));
    }
  });
}

std::string ShellQuoted(std::string_view text) {
  std::string quoted;
  if (Escaped(text) == text) return Quoted(text);
  for (const char c : text) {
    const bool plain = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
    if (plain) {
      quoted += c;
    } else {
      AppendByte(quoted, c);
    }
  }
  return "$'" + quoted + "'";
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kSafe =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,@%+";
  const bool safe = !text.empty() && text.find_first_not_of(kSafe) == std::string_view::npos;
  return safe ? std::string(text) : ShellQuoted(text);
}

}  // namespace mxc
