#include "mxc/json.h"

#include <nlohmann/json.hpp>

namespace mxc {

const Json* Json::Find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

const Json& Json::At(std::string_view key) const {
  static const Json none;
  const Json* const found = Find(key);
  return found == nullptr ? none : *found;
}

std::string JsonString(std::string_view text) {
  using nlohmann::json;
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
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
