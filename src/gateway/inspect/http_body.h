// Finds the end of an HTTP/1 body without keeping any of it.
//
//   HttpBody body(opening.Body());
//   while (!body.Done() && !body.Malformed()) {
//     body.Skip(n) for n <= body.Unread() data bytes, which nobody has to look at
//     or std::size_t used = body.Feed(bytes);   // forward these, feed the others again with what follows
//   }
//
// Accepts one spelling of chunks only: lines that end with CR LF, no blanks, extensions of the grammar of RFC
// 9112, 7.1.1, and trailers that are fields as in a head, but none that a head alone may have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gateway/inspect/protocol_sniffer.h"

namespace mxc::egress {

inline constexpr std::string_view kMalformedBody = "the body of its HTTP request is malformed";

class HttpBody {
 public:
  explicit HttpBody(const BodyFrame& frame)
      : place_(frame.chunked ? Place::kSize : Place::kData), chunked_(frame.chunked), unread_(frame.length) {
    Skip(0);
  }

  [[nodiscard]] bool Done() const { return place_ == Place::kDone; }
  [[nodiscard]] bool Malformed() const { return place_ == Place::kMalformed; }
  // Number of data bytes that come next.
  [[nodiscard]] std::uint64_t Unread() const { return place_ == Place::kData ? unread_ : 0; }
  void Skip(std::uint64_t count);
  // How many of the bytes belong to the body and have been judged: data and whole lines.
  [[nodiscard]] std::size_t Feed(ByteView bytes);

 private:
  enum class Place { kSize, kData, kDataEnd, kTrailer, kDone, kMalformed };
  void TakeLine(std::string_view line);

  Place place_;
  bool chunked_;
  std::uint64_t unread_;
};

}  // namespace mxc::egress
