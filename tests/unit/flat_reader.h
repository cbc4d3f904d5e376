// Reads a FlatBuffer the way its readers do, bound by bound. For tests: what is not as it should be ends
// them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mxc::test {

class FlatTable {
 public:
  static FlatTable RootOf(std::string_view bytes) { return {bytes, Read(bytes, 0, 4)}; }

  [[nodiscard]] std::optional<std::uint64_t> Number(std::size_t slot, std::size_t size) const {
    const std::size_t at = PlaceOf(slot);
    if (at == 0) return std::nullopt;
    EXPECT_EQ(at % size, 0U) << "slot " << slot << " is not aligned";
    return Read(bytes_, at, size);
  }
  [[nodiscard]] std::string Text(std::size_t slot) const {
    const std::size_t at = PlaceOf(slot);
    return at == 0 ? "" : TextAt(Follow(at));
  }
  [[nodiscard]] std::vector<std::string> Texts(std::size_t slot) const {
    std::vector<std::string> texts;
    for (const std::size_t at : Items(slot)) texts.push_back(TextAt(at));
    return texts;
  }
  [[nodiscard]] std::vector<FlatTable> Tables(std::size_t slot) const {
    std::vector<FlatTable> tables;
    for (const std::size_t at : Items(slot)) tables.push_back({bytes_, at});
    return tables;
  }
  [[nodiscard]] std::optional<FlatTable> Table(std::size_t slot) const {
    const std::size_t at = PlaceOf(slot);
    if (at == 0) return std::nullopt;
    return FlatTable{bytes_, Follow(at)};
  }

 private:
  FlatTable(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {
    EXPECT_EQ(at % 4, 0U) << "a table is not aligned";
  }

  static std::uint64_t Read(std::string_view bytes, std::size_t at, std::size_t size) {
    if (at + size > bytes.size()) ADD_FAILURE() << "behind the end: " << at;
    std::uint64_t number = 0;
    for (std::size_t i = size; i-- > 0 && at + size <= bytes.size();)
      number = number << 8U | static_cast<unsigned char>(bytes[at + i]);
    return number;
  }
  [[nodiscard]] std::size_t PlaceOf(std::size_t slot) const {
    const std::size_t places = at_ - Read(bytes_, at_, 4);
    const std::uint64_t size = Read(bytes_, places, 2);
    EXPECT_LE(at_ + Read(bytes_, places + 2, 2), bytes_.size());
    const std::size_t entry = 4 + 2 * slot;
    const std::uint64_t offset = entry + 2 <= size ? Read(bytes_, places + entry, 2) : 0;
    return offset == 0 ? 0 : at_ + offset;
  }
  [[nodiscard]] std::size_t Follow(std::size_t at) const { return at + Read(bytes_, at, 4); }
  [[nodiscard]] std::string TextAt(std::size_t at) const {
    const std::uint64_t size = Read(bytes_, at, 4);
    EXPECT_EQ(Read(bytes_, at + 4 + size, 1), 0U) << "a text without its NUL";
    return std::string(bytes_.substr(at + 4, size));
  }
  [[nodiscard]] std::vector<std::size_t> Items(std::size_t slot) const {
    std::vector<std::size_t> items;
    const std::size_t place = PlaceOf(slot);
    if (place == 0) return items;
    const std::size_t list = Follow(place);
    EXPECT_EQ(list % 4, 0U) << "a list is not aligned";
    for (std::uint64_t i = 0; i < Read(bytes_, list, 4); ++i) items.push_back(Follow(list + 4 + 4 * i));
    return items;
  }

  std::string_view bytes_;
  std::size_t at_;
};

}  // namespace mxc::test
