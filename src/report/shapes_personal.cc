#include <algorithm>
#include <string>

#include "base/cidr.h"
#include "report/shapes.h"

namespace mxc {
namespace {

constexpr std::size_t kMaxLocalPart = 64;  // RFC 5321
constexpr std::size_t kMaxDomain = 253;
constexpr std::size_t kMaxNumberBytes = 40;
constexpr std::size_t kTelling = 8;           // digits in a row that few other things have
constexpr std::size_t kMaxAddressBytes = 39;  // of IPv6 in full
constexpr int kIpv4Dots = 3;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Match::Kind Partly(bool at_end, bool strong) {
  if (at_end) return Match::Kind::kNone;
  return strong ? Match::Kind::kStrong : Match::Kind::kWeak;
}

// A number as people write it: digits, and how they are grouped.
struct Number {
  std::string digits = {};
  std::string shape = {};  // 'd' for a digit, else the separator itself
  std::size_t length = 0;  // bytes, up to the last digit
};

// Digits with at most two separators in a row (") 555" has two).
Number ReadNumber(std::string_view text) {
  Number number;
  std::size_t separators = 0;
  for (std::size_t i = 0; i < text.size() && i < kMaxNumberBytes; ++i) {
    const char c = text[i];
    if (IsDigit(c)) {
      number.digits += c;
      separators = 0;
    } else if (std::string_view(" -.()+").find(c) != std::string_view::npos && (c != '+' || i == 0)) {
      if (++separators > 2) break;
    } else {
      break;
    }
    number.shape += IsDigit(c) ? 'd' : c;
    if (IsDigit(c)) number.length = i + 1;
  }
  number.shape.resize(number.length);
  return number;
}

bool PassesLuhn(std::string_view digits) {
  unsigned sum = 0;
  bool twice = false;
  for (std::size_t i = digits.size(); i-- > 0; twice = !twice) {
    unsigned value = static_cast<unsigned>(digits[i] - '0');
    if (twice) value = value * 2 > 9 ? value * 2 - 9 : value * 2;
    sum += value;
  }
  return sum % 10 == 0;
}

// In groups of four and more with the same sign between them: hexadecimal dumps come in pairs.
bool IsGroupedAsCards(std::string_view shape) {
  const std::size_t first = shape.find_first_not_of('d');
  if (first == std::string_view::npos) return true;
  const char sign = shape[first];
  if (sign != ' ' && sign != '-') return false;
  while (!shape.empty()) {
    const std::size_t end = shape.find_first_not_of('d');
    if (end == std::string_view::npos) return true;
    if (end < 4 || shape[end] != sign) return false;
    shape.remove_prefix(end + 1);
  }
  return true;
}

bool IsCard(const Number& number) {
  if (number.digits.size() < 13 || number.digits.size() > 19) return false;
  if (number.digits[0] < '2' || number.digits[0] > '6') return false;
  return IsGroupedAsCards(number.shape) && PassesLuhn(number.digits);
}

bool IsTelephone(const Number& number) {
  const std::size_t count = number.digits.size();
  if (number.shape[0] == '+') return count >= 8 && count <= 15;
  static constexpr std::string_view kShapes[] = {"ddd-ddd-dddd",   "ddd.ddd.dddd",    "ddd ddd dddd",
                                                 "(ddd) ddd-dddd", "(ddd)ddd-dddd",   "(ddd) ddd dddd",
                                                 "d-ddd-ddd-dddd", "d (ddd) ddd-dddd"};
  for (const std::string_view shape : kShapes) {
    if (number.shape == shape) return true;
  }
  return false;
}

bool IsDomainByte(unsigned char byte) {
  const char c = static_cast<char>(byte);
  return IsAsciiLetter(c) || IsDigit(c) || c == '-' || c == '.';
}

std::size_t RunOf(std::string_view text, bool (*belongs)(unsigned char)) {
  std::size_t count = 0;
  while (count < text.size() && belongs(static_cast<unsigned char>(text[count]))) ++count;
  return count;
}

// Bytes of the domain without the full stop of the sentence it ends; 0 when it is none: it has at least two
// labels, and the last one is of two letters or more.
std::size_t DomainLength(std::string_view domain) {
  if (domain.ends_with('.')) domain.remove_suffix(1);
  const std::size_t dot = domain.rfind('.');
  if (dot == std::string_view::npos || dot == 0 || domain.size() - dot < 3) return 0;
  return IsAsciiLetter(domain[dot + 1]) ? domain.size() : 0;
}

bool IsIpv6Byte(unsigned char byte) {
  const char c = static_cast<char>(byte);
  return IsDigit(c) || c == ':' || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool IsIpv4Byte(unsigned char byte) { return IsDigit(static_cast<char>(byte)) || byte == '.'; }

// Four numbers that go on are a version: 1.2.3.4.5, 1.2.3.4-rc1, 1.2.3.4_2.
bool EndsIpv4(std::string_view behind) {
  if (behind.empty()) return true;
  const bool dotted = behind[0] == '.' || behind[0] == '-' || behind[0] == '+';
  const std::size_t next = dotted ? 1 : 0;
  return next == behind.size() || !IsWordByte(static_cast<unsigned char>(behind[next]));
}

// The machine itself, all machines and none are nobody's address; 2.0.0.0 and the like are versions.
bool NamesAHost(const Cidr& block) {
  const auto& bytes = block.address;
  if (block.width == 32) return bytes[0] != 0 && bytes[0] != 127 && bytes[0] < 224 && bytes[3] != 0;
  const bool global = (bytes[0] & 0xE0U) == 0x20;
  const bool local = (bytes[0] & 0xFEU) == 0xFC || (bytes[0] == 0xFE && (bytes[1] & 0xC0U) == 0x80);
  return global || local;
}

Match FoundAddress(std::string_view text) {
  const Result<Cidr> block = ParseCidr(text, HostBits::kRefuse);
  if (!block || !NamesAHost(*block)) return {};
  return {.kind = Match::Kind::kFound, .length = text.size()};
}

Match MatchIpv4(std::string_view text, bool at_end) {
  if (!IsDigit(text[0])) return {};
  std::size_t length = RunOf(text.substr(0, kMaxAddressBytes), IsIpv4Byte);
  if (text.substr(0, length).ends_with('.') && length < text.size()) --length;  // of a sentence
  const std::string_view address = text.substr(0, length);
  if (std::count(address.begin(), address.end(), '.') > kIpv4Dots + 1) return {};
  // One byte more may be needed to see that it goes on.
  if (!at_end && text.size() < length + 2) return {.kind = Match::Kind::kWeak};
  return EndsIpv4(text.substr(length)) ? FoundAddress(address) : Match{};
}

// An address of a host begins with a group of four digits: ab::cd is the name of a program's.
Match MatchIpv6(std::string_view text, bool at_end) {
  std::size_t length = RunOf(text.substr(0, kMaxAddressBytes + 2), IsIpv6Byte);
  if (length == text.size() && !at_end) return {.kind = Match::Kind::kWeak};
  if (length < text.size() && IsWordByte(static_cast<unsigned char>(text[length]))) return {};
  if (text.substr(0, length).find(':') != 4) return {};
  const std::string_view run = text.substr(0, length);
  if (run.ends_with(':') && !run.ends_with("::")) --length;
  return FoundAddress(text.substr(0, length));
}

}  // namespace

bool IsMailByte(unsigned char byte) {
  return IsWordByte(byte) || byte == '.' || byte == '%' || byte == '+' || byte == '-';
}

bool MayStartPersonal(unsigned char byte) { return IsMailByte(byte) || byte == '('; }

Match MatchMail(std::string_view text, bool at_end) {
  const std::size_t at = RunOf(text.substr(0, kMaxLocalPart + 1), IsMailByte);
  if (at == 0 || at > kMaxLocalPart) return {};
  if (at == text.size()) return {.kind = Partly(at_end, false)};
  if (text[at] != '@') return {};
  const std::size_t domain = RunOf(text.substr(at + 1, kMaxDomain), IsDomainByte);
  if (at + 1 + domain == text.size() && !at_end) return {.kind = Match::Kind::kStrong};
  const std::size_t length = DomainLength(text.substr(at + 1, domain));
  if (length == 0) return {};
  return {.kind = Match::Kind::kFound, .length = at + 1 + length};
}

Match MatchAddress(std::string_view text, bool at_end) {
  const Match four = MatchIpv4(text, at_end);
  return four.kind == Match::Kind::kFound
             ? four
             : std::max(four, MatchIpv6(text, at_end),
                        [](const Match& left, const Match& right) { return left.kind < right.kind; });
}

Match MatchNumber(std::string_view text, bool at_end) {
  if (!IsDigit(text[0]) && text[0] != '+' && text[0] != '(') return {};
  const Number number = ReadNumber(text);
  // It may go on: only separators stand between its last digit and the end of the text.
  const bool open = text.size() < kMaxNumberBytes &&
                    text.find_first_not_of(" -.()", number.length) == std::string_view::npos &&
                    text.size() - number.length <= 2;
  if (open && !at_end) return {.kind = Partly(at_end, number.digits.size() >= kTelling)};
  if (number.length == 0) return {};
  const bool word_goes_on =
      number.length < text.size() && IsWordByte(static_cast<unsigned char>(text[number.length]));
  if (word_goes_on) return {};
  if (!IsCard(number) && !IsTelephone(number) && number.shape != "ddd-dd-dddd") return {};
  return {.kind = Match::Kind::kFound, .length = number.length};
}

}  // namespace mxc
