#include "base/quoted.h"

namespace mxc {

std::string Quoted(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += kDigits[byte >> 4U];
      result += kDigits[byte & 0xfU];
    } else {
      result += c;
    }
  }
  return result + "'";
}

}  // namespace mxc
