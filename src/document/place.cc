#include "document/place.h"

#include "mxc/json.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxQuotedBytes = 64;
constexpr std::size_t kMaxDottedBytes = 200;

void AppendEscaped(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\x";
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 0xFU];
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

// `text` without what a terminal would obey: C0, DEL and the C1 controls (U+0080 .. U+009F).
std::string Printable(std::string_view text, std::size_t limit) {
  std::size_t end = text.size();
  if (end > limit) {
    end = limit;
    while (end > 0 && IsContinuation(text[end])) --end;
  }
  std::string out;
  for (std::size_t i = 0; i < end; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte == 0xC2 && i + 1 < end && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (byte < 0x20 || byte == 0x7F) {
      AppendEscaped(out, text[i]);
    } else if (c1) {
      AppendEscaped(out, text[++i]);
    } else {
      out += text[i];
    }
  }
  if (end < text.size()) out += "...";
  return out;
}

}  // namespace

Place Place::Key(std::string_view key) const {
  return {.pointer = PointerTo(pointer, key),
          .dotted = dotted.empty() ? std::string(key) : dotted + "." + std::string(key)};
}

Place Place::Item(std::size_t index) const {
  return {.pointer = PointerTo(pointer, index), .dotted = dotted + "[" + std::to_string(index) + "]"};
}

std::string Ticked(std::string_view text) { return "`" + Printable(text, kMaxQuotedBytes) + "`"; }

std::string AtPosition(Position position) {
  if (position.line == 0) return {};
  return " at line " + std::to_string(position.line) + " column " + std::to_string(position.column);
}

Error ErrorAt(const Place& place, Position position, std::string_view text, std::string_view hint) {
  std::string message = "Invalid configuration";
  if (!place.dotted.empty()) message += " at `" + Printable(place.dotted, kMaxDottedBytes) + "`";
  message += ": " + std::string(text) + AtPosition(position);
  return {.code = ErrorCode::kSchema,
          .message = std::move(message),
          .pointer = place.pointer,
          .position = position,
          .hint = std::string(hint)};
}

}  // namespace mxc
