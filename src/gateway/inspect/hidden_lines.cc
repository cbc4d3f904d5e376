#include "gateway/inspect/hidden_lines.h"

#include <algorithm>
#include <string>
#include <utility>

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

}  // namespace

bool HidesRequest(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.size(), text.find_first_of(kLineEnds));
    const std::string line = WithoutTelnet(text.substr(0, end));
    if (IsHostCommand(line) || BeginsRequest(SkipWhile(line, IsPassedOver))) return true;
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return false;
}

bool HiddenLines::Line::IsHost(char c) {
  constexpr std::string_view kName = "host";
  const bool whole = host_ == kName.size();
  if (whole && (IsPassedOver(c) || c == ':')) return true;
  if (host_ == kElsewhere || (host_ == 0 && IsPassedOver(c))) return false;
  host_ = !whole && Folded(c) == kName[host_] ? host_ + 1 : kElsewhere;
  return false;
}

bool HiddenLines::Line::IsUrl(char c) {
  const auto go_on = [&](bool stays, bool goes, Url next) { url_ = goes ? next : stays ? url_ : Url::kNone; };
  switch (url_) {
    case Url::kBefore:
      go_on(IsPassedOver(c), IsOfWord(c), Url::kMethod);
      break;
    case Url::kMethod:
      go_on(IsOfWord(c), IsPassedOver(c), Url::kBehind);
      break;
    case Url::kBehind:
      go_on(IsPassedOver(c), IsLetter(c), Url::kScheme);
      break;
    case Url::kScheme:
      go_on(IsLetter(c), c == ':', Url::kColon);
      break;
    case Url::kColon:
      go_on(false, c == '/', Url::kSlash);
      break;
    case Url::kSlash:
      go_on(false, c == '/', Url::kName);
      break;
    case Url::kName:
      if (IsOfWord(c)) return true;
      url_ = Url::kNone;
      break;
    case Url::kNone:
      break;
  }
  return false;
}

// RFC 854, as in WithoutTelnet.
bool HiddenLines::Line::Add(std::uint8_t byte) {
  const Telnet before = std::exchange(telnet_, Telnet::kText);
  if (before == Telnet::kOption) return false;
  if (before == Telnet::kCommand && byte >= 0xf0) {
    if (byte >= 0xfb && byte <= 0xfe) telnet_ = Telnet::kOption;
    return false;
  }
  if (byte == 0xff) {
    telnet_ = Telnet::kCommand;
    return false;
  }
  const bool host = IsHost(static_cast<char>(byte));
  return IsUrl(static_cast<char>(byte)) || host;
}

bool HiddenLines::Feed(ByteView bytes) {
  for (const std::uint8_t byte : bytes) {
    if (byte == '\r' || byte == '\n') {
      line_ = {};
    } else if (line_.Add(byte)) {
      return true;
    }
  }
  return false;
}

}  // namespace mxc::egress
