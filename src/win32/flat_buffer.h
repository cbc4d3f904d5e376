// Writes FlatBuffers without their library: tables, strings, vectors and scalars, each object behind the one
// that names it.
//
//   FlatValue rule = FlatValue::Table({{0, FlatValue::Text("10.0.0.0")}, {1, FlatValue::Byte(8)}});
//   std::string bytes = FlatBuffer(FlatValue::Table({{5, FlatValue::List({rule})}}), "PSEC");
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mxc {

class FlatValue {
 public:
  using Slot = std::pair<std::size_t, FlatValue>;

  static FlatValue Byte(std::uint8_t number);
  static FlatValue Number16(std::uint16_t number);
  static FlatValue Number64(std::uint64_t number);
  // A struct of two 16-bit numbers.
  static FlatValue Pair16(std::uint16_t first, std::uint16_t second);
  static FlatValue Text(std::string_view text);
  static FlatValue List(std::vector<FlatValue> items);  // of tables or texts
  static FlatValue Table(std::vector<Slot> slots);      // a slot that is left out has its default

 private:
  friend class FlatWriter;
  enum class Kind { kInline, kText, kList, kTable };
  Kind kind_ = Kind::kInline;
  std::string bytes_ = {};  // of an inline value, little-endian, or of a text
  std::size_t alignment_ = 1;
  std::vector<Slot> parts_ = {};  // of a list and of a table
};

// `identifier`: four characters.
[[nodiscard]] std::string FlatBuffer(const FlatValue& root, std::string_view identifier);

}  // namespace mxc
