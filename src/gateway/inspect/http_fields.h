// The grammar of HTTP's fields, in heads and behind chunked bodies (RFC 9110, 5). One spelling only.
#pragma once

#include <optional>
#include <string_view>

namespace mxc::egress {

struct HttpField {
  std::string_view name = {};
  std::string_view value = {};
};

[[nodiscard]] bool IsToken(std::string_view text);
// A control character other than a tab.
[[nodiscard]] constexpr bool IsControlOfField(char c) {
  return (c >= 0 && c < ' ' && c != '\t') || c == 0x7f;
}
// `line` without its end. Absent: malformed.
[[nodiscard]] std::optional<HttpField> SplitField(std::string_view line);

}  // namespace mxc::egress
