#include "cleanup/record_cbor.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mxc {
namespace {

// The first byte of each item has its major type (the upper three bits) and its argument, or how many bytes
// of argument follow it.
class Items {
 public:
  explicit Items(std::string_view text) : rest_(text) {}

  bool AreOurs() {
    std::vector<std::uint64_t> left = {1};  // items to come, by level
    while (!left.empty()) {
      if (left.back() == 0) {
        left.pop_back();
        continue;
      }
      --left.back();
      if (!TakeItem(left) || left.size() > kMaxRecordLevels + 1) return false;
    }
    return rest_.empty();
  }

 private:
  static constexpr unsigned kTypeShift = 5;
  static constexpr unsigned kArgumentBits = 0x1f;
  enum Type : unsigned { kBytes = 2, kText = 3, kArray = 4, kMap = 5, kTag = 6 };

  bool TakeItem(std::vector<std::uint64_t>& left) {
    std::uint64_t first = 0;
    if (!TakeNumber(1, first)) return false;
    std::uint64_t argument = first & kArgumentBits;
    constexpr std::uint64_t kFollowing = 24;  // 1, 2, 4 or 8 bytes
    constexpr std::uint64_t kMostFollowing = 27;
    if (argument > kMostFollowing) return false;
    if (argument >= kFollowing && !TakeNumber(std::size_t{1} << (argument - kFollowing), argument))
      return false;
    switch (first >> kTypeShift) {
      case kBytes:
      case kText:
        if (argument > rest_.size()) return false;
        rest_.remove_prefix(argument);
        return true;
      case kArray:
        left.push_back(argument);
        return true;
      case kMap:
        if (argument > std::numeric_limits<std::uint64_t>::max() / 2) return false;
        left.push_back(2 * argument);
        return true;
      case kTag:
        return false;
      default:
        return true;
    }
  }

  bool TakeNumber(std::size_t size, std::uint64_t& number) {
    constexpr unsigned kBitsOfByte = 8;
    if (size > rest_.size()) return false;
    number = 0;
    for (const char byte : rest_.substr(0, size))
      number = (number << kBitsOfByte) | static_cast<unsigned char>(byte);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

bool IsRecordCbor(std::string_view text) { return Items(text).AreOurs(); }

}  // namespace mxc
