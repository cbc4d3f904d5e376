#include "mxc/windows/wsl_run.h"

namespace mxc {
namespace {

void AppendUtf8(std::uint32_t point, std::string& text) {
  constexpr std::uint32_t kLow6 = 0x3F;
  const auto tail = [&](unsigned shift) { text += static_cast<char>(0x80U | ((point >> shift) & kLow6)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xC0U | (point >> 6U));
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xE0U | (point >> 12U));
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0U | (point >> 18U));
    tail(12);
    tail(6);
    tail(0);
  }
}

bool IsSurrogate(std::uint32_t unit) { return (unit & 0xF800U) == 0xD800U; }

std::string FromUtf16(std::string_view bytes) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    if (at + 1 >= bytes.size()) return 0;
    return static_cast<unsigned char>(bytes[at]) |
           (std::uint32_t{static_cast<unsigned char>(bytes[at + 1])} << 8U);
  };
  std::string text;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const std::uint32_t first = unit(at);
    if (!IsSurrogate(first)) {
      AppendUtf8(first, text);
      continue;
    }
    const std::uint32_t second = unit(at + 2);
    const bool pair = first < 0xDC00 && IsSurrogate(second) && second >= 0xDC00;
    AppendUtf8(pair ? 0x10000 + ((first & 0x3FFU) << 10U) + (second & 0x3FFU) : kReplacement, text);
    if (pair) at += 2;
  }
  return text;
}

// Text of any European language has a zero in most of its units; UTF-8 has none at all.
bool LooksLikeUtf16(std::string_view bytes) {
  std::size_t zeros = 0;
  for (std::size_t i = 1; i < bytes.size(); i += 2) {
    if (bytes[i] == '\0') ++zeros;
  }
  return zeros > 0 && zeros * 8 >= bytes.size();
}

}  // namespace

std::string WslText(std::string_view bytes) {
  std::string text = LooksLikeUtf16(bytes) ? FromUtf16(bytes) : std::string(bytes);
  std::erase(text, '\r');
  std::erase(text, '\0');
  return text;
}

}  // namespace mxc
