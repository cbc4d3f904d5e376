#include "win32/flat_buffer.h"

#include <algorithm>

namespace mxc {
namespace {

constexpr std::size_t kOffsetBytes = 4;

std::string LittleEndian(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i)
    bytes += static_cast<char>(static_cast<unsigned char>(number >> (8 * i)));
  return bytes;
}

}  // namespace

FlatValue FlatValue::Byte(std::uint8_t number) {
  FlatValue value;
  value.bytes_ = LittleEndian(number, 1);
  return value;
}

FlatValue FlatValue::Number16(std::uint16_t number) {
  FlatValue value;
  value.bytes_ = LittleEndian(number, 2);
  value.alignment_ = 2;
  return value;
}

FlatValue FlatValue::Number64(std::uint64_t number) {
  FlatValue value;
  value.bytes_ = LittleEndian(number, 8);
  value.alignment_ = 8;
  return value;
}

FlatValue FlatValue::Pair16(std::uint16_t first, std::uint16_t second) {
  FlatValue value = Number16(first);
  value.bytes_ += LittleEndian(second, 2);
  return value;
}

FlatValue FlatValue::Text(std::string_view text) {
  FlatValue value;
  value.kind_ = Kind::kText;
  value.bytes_ = text;
  return value;
}

FlatValue FlatValue::List(std::vector<FlatValue> items) {
  FlatValue value;
  value.kind_ = Kind::kList;
  for (FlatValue& item : items) value.parts_.emplace_back(value.parts_.size(), std::move(item));
  return value;
}

FlatValue FlatValue::Table(std::vector<Slot> slots) {
  FlatValue value;
  value.kind_ = Kind::kTable;
  value.parts_ = std::move(slots);
  return value;
}

class FlatWriter {
 public:
  explicit FlatWriter(std::string_view identifier) : bytes_(kOffsetBytes, '\0') { bytes_ += identifier; }

  std::string Write(const FlatValue& root) && {
    Point(0, root);
    return std::move(bytes_);
  }

 private:
  using Kind = FlatValue::Kind;

  // Writes `value` at the end, and how far away that is at `place`.
  // NOLINTNEXTLINE(misc-no-recursion): values are a few levels deep.
  void Point(std::size_t place, const FlatValue& value) {
    const std::size_t at = value.kind_ == Kind::kText   ? Text(value.bytes_)
                           : value.kind_ == Kind::kList ? List(value)
                                                        : Table(value);
    Put(place, at - place, kOffsetBytes);
  }

  void Put(std::size_t place, std::uint64_t number, std::size_t size) {
    bytes_.replace(place, size, LittleEndian(number, size));
  }

  void Align(std::size_t alignment) {
    while (bytes_.size() % alignment != 0) bytes_ += '\0';
  }

  std::size_t Text(std::string_view text) {
    Align(kOffsetBytes);
    const std::size_t at = bytes_.size();
    bytes_ += LittleEndian(text.size(), kOffsetBytes);
    bytes_ += text;
    bytes_ += '\0';
    return at;
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  std::size_t List(const FlatValue& list) {
    Align(kOffsetBytes);
    const std::size_t at = bytes_.size();
    bytes_ += LittleEndian(list.parts_.size(), kOffsetBytes);
    bytes_.append(list.parts_.size() * kOffsetBytes, '\0');
    for (const FlatValue::Slot& item : list.parts_) Point(at + kOffsetBytes * (item.first + 1), item.second);
    return at;
  }

  // A table begins with the way back to the list of where its slots stand.
  // NOLINTNEXTLINE(misc-no-recursion)
  std::size_t Table(const FlatValue& table) {
    constexpr std::size_t kWidest = 8;
    std::size_t slots = 0;
    for (const FlatValue::Slot& slot : table.parts_) slots = std::max(slots, slot.first + 1);
    Align(2);
    const std::size_t places = bytes_.size();
    bytes_.append(4 + 2 * slots, '\0');
    Align(kWidest);
    const std::size_t at = bytes_.size();
    bytes_ += LittleEndian(at - places, kOffsetBytes);
    std::vector<std::pair<std::size_t, const FlatValue*>> objects;
    for (const auto& [slot, value] : table.parts_) {
      const bool is_inline = value.kind_ == Kind::kInline;
      Align(is_inline ? value.alignment_ : kOffsetBytes);
      Put(places + 4 + 2 * slot, bytes_.size() - at, 2);
      if (!is_inline) objects.emplace_back(bytes_.size(), &value);
      bytes_ += is_inline ? value.bytes_ : std::string(kOffsetBytes, '\0');
    }
    Put(places, 4 + 2 * slots, 2);
    Put(places + 2, bytes_.size() - at, 2);
    for (const auto& [place, value] : objects) Point(place, *value);
    return at;
  }

  std::string bytes_;
};

std::string FlatBuffer(const FlatValue& root, std::string_view identifier) {
  return FlatWriter(identifier).Write(root);
}

}  // namespace mxc
