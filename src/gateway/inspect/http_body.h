// Finds the end of an HTTP/1 body without keeping any of it.
//
//   HttpBody body(opening.Body());
//   while (!body.Done()) {
//     body.Skip(n) for n <= body.Unread() data bytes, which nobody has to look at
//     or std::optional<std::size_t> used = body.Feed(bytes);   // absent: malformed
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gateway/inspect/protocol_sniffer.h"

namespace mxc::egress {

class HttpBody {
 public:
  explicit HttpBody(const BodyFrame& frame)
      : place_(frame.chunked ? Place::kSize : Place::kData), chunked_(frame.chunked), unread_(frame.length) {
    Skip(0);
  }

  [[nodiscard]] bool Done() const { return place_ == Place::kDone; }
  // Number of data bytes that come next.
  [[nodiscard]] std::uint64_t Unread() const { return place_ == Place::kData ? unread_ : 0; }
  void Skip(std::uint64_t count);
  // How many of the bytes belong to the body. Accepts one spelling only: CR LF, no chunk extensions.
  [[nodiscard]] std::optional<std::size_t> Feed(ByteView bytes);

 private:
  enum class Place { kSize, kData, kDataEnd, kTrailer, kDone };
  [[nodiscard]] bool TakeLine();

  Place place_;
  bool chunked_;
  std::uint64_t unread_;
  std::string line_ = {};
};

}  // namespace mxc::egress
