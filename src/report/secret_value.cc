#include "report/secret_value.h"

#include <algorithm>
#include <string>
#include <utility>

namespace mxc {
namespace {

constexpr std::size_t kOpen = std::string_view::npos;  // more has to come to tell

// `text` begins with a quote that could close a value. Bytes up to where the value goes on; 0: it ends here.
std::size_t Joint(std::string_view text, bool at_end) {
  const char mark = text[0];
  const char other = mark == '"' ? '\'' : '"';
  const std::string joints[] = {{mark, mark}, {mark, '\\', mark, mark}, {mark, other, mark, other, mark}};
  for (const std::string& joint : joints) {
    if (text.starts_with(joint)) return joint.size();
    if (!at_end && std::string_view(joint).starts_with(text)) return kOpen;
  }
  return 0;
}

bool EndsLine(char c) { return c == '\n' || c == '\r' || c == '\0'; }

bool EndsWord(char c) {
  constexpr unsigned char kDelete = 127;
  const auto byte = static_cast<unsigned char>(c);
  return byte <= ' ' || byte == kDelete || std::string_view("\"'`&;,)]}").find(c) != std::string_view::npos;
}

}  // namespace

SecretValue::Taken SecretValue::Take(std::string_view rest, bool at_end) {
  const auto [mark, escapes] = quotation_;
  for (std::size_t at = 0; at < rest.size();) {
    const char c = rest[at];
    if (c == '\\') {
      ++backslashes_;
      ++at;
      continue;
    }
    const std::size_t before = std::exchange(backslashes_, 0);
    // Each level of escaping doubles the backslashes and adds one before the quote.
    const bool escaped = before / (escapes + 1) % 2 != 0;
    if (EndsLine(c) && !(mark != '\0' && c == '\n' && escaped)) return {at, true};
    if (!escaped && mark == '\0' && EndsWord(c)) return {at, true};
    if (escaped || c != mark || mark == '\0') {
      ++at;
      continue;
    }
    const std::size_t joint = escapes == 0 ? Joint(rest.substr(at), at_end) : 0;
    if (joint == kOpen) return {at, false};
    if (joint == 0) return {at - std::min(at, std::min(before, escapes)), true};
    at += joint;
  }
  if (at_end) return {rest.size(), true};
  // The last backslashes may be those of the closing quote.
  const std::size_t held = std::min(backslashes_, escapes);
  backslashes_ -= held;
  return {rest.size() - held, false};
}

}  // namespace mxc
