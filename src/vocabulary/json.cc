#include "mxc/json.h"

#include <fmt/format.h>

namespace mxc {

const Json* Json::Find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::string JsonString(std::string_view text) {
  constexpr unsigned char kFirstPrintable = 0x20;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < kFirstPrintable) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string PointerTo(std::string_view pointer, std::string_view token) {
  std::string result{pointer};
  result += '/';
  for (const char c : token) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

std::string PointerTo(std::string_view pointer, std::size_t index) {
  return PointerTo(pointer, std::to_string(index));
}

}  // namespace mxc
