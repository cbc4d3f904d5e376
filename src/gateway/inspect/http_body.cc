#include "gateway/inspect/http_body.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/lists.h"
#include "gateway/inspect/http_fields.h"
#include "mxc/fold.h"

namespace mxc::egress {
namespace {

constexpr std::size_t kMaxChunkLine = 8192;
constexpr std::size_t kMaxSizeDigits = 15;  // of a chunk's size, sixteen to the digit

bool ReadSize(std::string_view text, std::uint64_t& size) {
  const char* end = text.data() + text.size();
  return !text.empty() && text.size() <= kMaxSizeDigits &&
         std::from_chars(text.data(), end, size, 16).ptr == end;
}

// The size of the quoted string that `text` begins with; 0: it begins with none.
std::size_t QuotedSize(std::string_view text) {
  if (!text.starts_with('"')) return 0;
  for (std::size_t i = 1; i < text.size() && !IsControlOfField(text[i]); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\' && (++i == text.size() || IsControlOfField(text[i]))) break;
  }
  return 0;
}

// ";name", ";name=value", ";name="a quoted string"", each any number of times.
bool AreExtensions(std::string_view text) {
  while (!text.empty()) {
    if (!text.starts_with(';')) return false;
    text.remove_prefix(1);
    const std::string_view name = text.substr(0, text.find_first_of(";="));
    text.remove_prefix(name.size());
    if (!IsToken(name)) return false;
    if (!text.starts_with('=')) continue;
    text.remove_prefix(1);
    const std::size_t quoted = QuotedSize(text);
    const std::string_view value = text.substr(0, quoted > 0 ? quoted : text.find(';'));
    text.remove_prefix(value.size());
    if (quoted == 0 && !IsToken(value)) return false;
  }
  return true;
}

// Servers may add a trailer to the fields of the head. Not those that say where the message ends, whose it is
// and for whom, and how to read it (RFC 9110, 6.5.1), all of which is judged in the head.
bool MayTrail(const HttpField& field) {
  return !IsOneOf(
      Folded(field.name),
      "host|transfer-encoding|te|trailer|content-length|content-type|content-encoding|"
      "content-range|connection|keep-alive|proxy-*|upgrade|http2-settings|sec-*|expect|max-forwards|"
      "forwarded|x-forwarded-*|authorization|cookie*|set-cookie*|cache-control|pragma|range|if-*");
}

}  // namespace

void HttpBody::Skip(std::uint64_t count) {
  if (place_ != Place::kData) return;
  unread_ -= std::min(count, unread_);
  if (unread_ == 0) place_ = chunked_ ? Place::kDataEnd : Place::kDone;
}

void HttpBody::TakeLine(std::string_view line) {
  const auto go_on = [this](bool well_formed, Place next) {
    place_ = well_formed ? next : Place::kMalformed;
  };
  if (place_ == Place::kDataEnd) return go_on(line.empty(), Place::kSize);
  if (place_ == Place::kTrailer) {
    const std::optional<HttpField> field = SplitField(line);
    return go_on(line.empty() || (field && MayTrail(*field)), line.empty() ? Place::kDone : Place::kTrailer);
  }
  const std::size_t digits = std::min(line.size(), line.find(';'));
  const bool size = ReadSize(line.substr(0, digits), unread_) && AreExtensions(line.substr(digits));
  go_on(size, unread_ == 0 ? Place::kTrailer : Place::kData);
}

std::size_t HttpBody::Feed(ByteView bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && !Done() && !Malformed()) {
    if (place_ == Place::kData) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(unread_, bytes.size() - at));
      Skip(count);
      at += count;
      continue;
    }
    const std::string_view line = TextOf(bytes.subspan(at, std::min(bytes.size() - at, kMaxChunkLine)));
    const std::size_t end = line.find('\n');
    if (end == std::string_view::npos) {
      if (line.size() == kMaxChunkLine) place_ = Place::kMalformed;
      break;
    }
    if (end > 0 && line[end - 1] == '\r') {
      TakeLine(line.substr(0, end - 1));
    } else {
      place_ = Place::kMalformed;
    }
    if (!Malformed()) at += end + 1;
  }
  return at;
}

}  // namespace mxc::egress
