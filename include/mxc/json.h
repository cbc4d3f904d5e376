// A parsed JSON value that remembers the place of each part in the document.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"

namespace mxc {

struct JsonMember;

// NOLINTNEXTLINE(misc-no-recursion): as deep as kMaxDocumentDepth allows.
struct Json {
  enum class Kind { kNull, kBool, kInteger, kFloat, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  // kInteger: the number, if it fits 64 bits; if `negative`, its two's complement.
  std::uint64_t integer = 0;
  bool negative = false;
  std::string text = {};            // kString: the value. kInteger, kFloat: the number as written
  std::vector<Json> items = {};     // kArray
  std::vector<JsonMember> members;  // kObject, in document order; keys are unique
  Position position = {};           // first byte of the value

  // The member's value, or nullptr. Only for kObject.
  [[nodiscard]] const Json* Find(std::string_view key) const;
  // The same; a kNull value if there is none, or if this is no object.
  [[nodiscard]] const Json& At(std::string_view key) const;
};

// NOLINTNEXTLINE(misc-no-recursion)
struct JsonMember {
  std::string key = {};
  Position position = {};  // first byte of the key
  Json value = {};
};

// `text` as a JSON string, with quotes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string JsonString(std::string_view text);

// `pointer` + "/" + `token`, with "~" and "/" escaped as RFC 6901 asks.
[[nodiscard]] std::string PointerTo(std::string_view pointer, std::string_view token);
[[nodiscard]] std::string PointerTo(std::string_view pointer, std::size_t index);

}  // namespace mxc
