#include "gateway/inspect/http_body.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxChunkLine = 8192;
constexpr std::size_t kMaxSizeDigits = 15;  // of a chunk's size, sixteen to the digit

bool ReadSize(std::string_view text, std::uint64_t& size) {
  const char* end = text.data() + text.size();
  return !text.empty() && text.size() <= kMaxSizeDigits &&
         std::from_chars(text.data(), end, size, 16).ptr == end;
}

}  // namespace

void HttpBody::Skip(std::uint64_t count) {
  if (place_ != Place::kData) return;
  unread_ -= std::min(count, unread_);
  if (unread_ == 0) place_ = chunked_ ? Place::kDataEnd : Place::kDone;
}

// The line that has just ended, without its end; false: malformed.
bool HttpBody::TakeLine() {
  const std::string line = std::exchange(line_, {});
  if (line.find_first_of(std::string_view("\r\0", 2)) != std::string::npos) return false;
  switch (place_) {
    case Place::kSize:
      if (!ReadSize(line, unread_)) return false;
      place_ = unread_ == 0 ? Place::kTrailer : Place::kData;
      return true;
    case Place::kDataEnd:
      place_ = Place::kSize;
      return line.empty();
    case Place::kTrailer:
      if (line.empty()) place_ = Place::kDone;
      return true;
    case Place::kData:
    case Place::kDone:
      break;
  }
  return false;
}

std::optional<std::size_t> HttpBody::Feed(ByteView bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !Done()) {
    if (place_ == Place::kData) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(unread_, bytes.size() - at));
      Skip(count);
      at += count;
      continue;
    }
    line_ += static_cast<char>(bytes[at++]);
    if (line_.size() > kMaxChunkLine) return std::nullopt;
    if (!line_.ends_with('\n')) continue;
    if (!line_.ends_with("\r\n")) return std::nullopt;
    line_.resize(line_.size() - 2);
    if (!TakeLine()) return std::nullopt;
  }
  return at;
}

}  // namespace mxc::egress
