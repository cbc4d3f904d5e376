#include "gateway/inspect/http_fields.h"

#include <algorithm>

namespace mxc::egress {
namespace {

bool IsTokenByte(char c) {
  const auto lower = static_cast<char>(c | 0x20);
  if ((lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9')) return true;
  return c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

}  // namespace

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsTokenByte);
}

std::optional<HttpField> SplitField(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !IsToken(line.substr(0, colon))) return std::nullopt;
  if (std::any_of(line.begin(), line.end(), IsControlOfField)) return std::nullopt;
  std::string_view value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.size(), value.find_first_not_of(" \t")));
  return HttpField{.name = line.substr(0, colon),
                   .value = value.substr(0, value.find_last_not_of(" \t") + 1)};
}

}  // namespace mxc::egress
