// Bytes that arrive at the end and leave at the front. What leaves costs nothing that depends on how many
// stay: a thousand small messages in one buffer are taken out one by one.
#pragma once

#include <cstddef>

#include "gateway/net/bytes.h"

namespace mxc::egress {

class ByteQueue {
 public:
  [[nodiscard]] const std::uint8_t* begin() const { return bytes_.data() + at_; }
  [[nodiscard]] const std::uint8_t* end() const { return bytes_.data() + bytes_.size(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size() - at_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::uint8_t operator[](std::size_t i) const { return bytes_[at_ + i]; }

  void Append(ByteView more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  void Prepend(ByteView more) {
    Tidy();
    bytes_.insert(bytes_.begin(), more.begin(), more.end());
  }
  void Drop(std::size_t count) {
    at_ += count;
    if (at_ >= bytes_.size() - at_) Tidy();  // moves fewer than have left
  }

 private:
  void Tidy() {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
  }

  Bytes bytes_ = {};
  std::size_t at_ = 0;  // of the first one
};

}  // namespace mxc::egress
