#include "gateway/inspect/hidden_lines.h"

#include <algorithm>

#include "gateway/inspect/protocol_sniffer.h"
#include "mxc/fold.h"

namespace mxc::egress {
namespace {

constexpr std::string_view kLineEnds = "\r\n";

bool IsPassedOver(char c) { return PassedOver(static_cast<std::uint8_t>(c)); }

bool IsLetter(char c) { return Folded(c) >= 'a' && Folded(c) <= 'z'; }

bool IsOfWord(char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '[';
}

std::string_view SkipWhile(std::string_view text, bool (*skipped)(char)) {
  const auto begin = std::find_if_not(text.begin(), text.end(), skipped);
  return {begin, text.end()};
}

// RFC 854: 0xff and a command, behind WILL, WONT, DO and DONT with an option.
std::string WithoutTelnet(std::string_view line) {
  std::string plain;
  while (!line.empty()) {
    const auto byte = static_cast<std::uint8_t>(line.front());
    const auto command = static_cast<std::uint8_t>(line.size() > 1 ? line[1] : 0);
    if (byte != 0xff) plain += line.front();
    const std::size_t option = command >= 0xfb && command <= 0xfe ? 1 : 0;
    const std::size_t size = byte == 0xff && command >= 0xf0 ? 2 + option : 1;
    line.remove_prefix(std::min(line.size(), size));
  }
  return plain;
}

// `rest`: what is behind "host".
bool BeginsWithHost(std::string_view line, std::string_view& rest) {
  constexpr std::string_view kName = "host";
  const std::string_view text = SkipWhile(line, IsPassedOver);
  if (!EqualsFolded(text.substr(0, kName.size()), kName)) return false;
  rest = text.substr(kName.size());
  return true;
}

bool IsHostCommand(std::string_view line) {
  std::string_view rest;
  return BeginsWithHost(line, rest) && !rest.empty() && IsPassedOver(rest.front());
}

bool IsHostHeader(std::string_view line) {
  std::string_view rest;
  return BeginsWithHost(line, rest) && SkipWhile(rest, IsPassedOver).starts_with(':');
}

// A word, blanks, letters, "://", the beginning of a name.
bool AsksForWholeUrl(std::string_view line) {
  const std::string_view method = SkipWhile(line, IsPassedOver);
  const std::string_view behind = SkipWhile(method, IsOfWord);
  const std::string_view target = SkipWhile(behind, IsPassedOver);
  const std::string_view rest = SkipWhile(target, IsLetter);
  if (behind.size() == method.size() || target.size() == behind.size() || rest.size() == target.size())
    return false;
  return rest.starts_with("://") && rest.size() > 3 && IsOfWord(rest[3]);
}

template <typename Predicate>
bool AnyLine(std::string_view text, Predicate predicate) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find_first_of(kLineEnds));
    if (predicate(WithoutTelnet(text.substr(0, end)))) return true;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return false;
}

}  // namespace

bool HidesRequest(std::string_view text) {
  return AnyLine(text, [](const std::string& line) {
    return IsHostCommand(line) || BeginsRequest(SkipWhile(line, IsPassedOver));
  });
}

bool HiddenLines::Feed(ByteView bytes) {
  std::string text = line_;
  text += TextOf(bytes);
  const std::size_t end = text.find_last_of(kLineEnds);
  line_ = end == std::string::npos ? text : text.substr(end + 1);
  if (line_.size() > kMaxFirstBytes) line_.resize(kMaxFirstBytes);  // no server reads a line as long
  return AnyLine(text, [](const std::string& line) {
    return IsHostCommand(line) || IsHostHeader(line) || AsksForWholeUrl(line);
  });
}

}  // namespace mxc::egress
