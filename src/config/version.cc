#include "config/version.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "config/fields.h"
#include "document/place.h"

namespace mxc {
namespace {

struct SemanticVersion {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsIdentifierCharacter(char c) {
  const auto lower = static_cast<char>(c | 0x20);
  return IsDigit(c) || (lower >= 'a' && lower <= 'z') || c == '-';
}

// Takes a number without leading zeros from the front of `text`.
std::optional<std::uint64_t> TakeNumber(std::string_view& text) {
  const std::size_t length = std::min(text.size(), std::size_t{18});
  std::size_t digits = 0;
  std::uint64_t value = 0;
  for (; digits < length && IsDigit(text[digits]); ++digits) {
    value = value * 10 + static_cast<std::uint64_t>(text[digits] - '0');
  }
  if (digits == 0 || (digits > 1 && text.front() == '0')) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool TakeCharacter(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

enum class LeadingZeros { kAllowed, kForbidden };

// Dot-separated identifiers, none of them empty.
bool AreIdentifiers(std::string_view text, LeadingZeros leading_zeros) {
  for (;;) {
    const auto dot = text.find('.');
    const std::string_view part = text.substr(0, dot);
    if (part.empty() || !std::all_of(part.begin(), part.end(), IsIdentifierCharacter)) return false;
    const bool padded =
        part.size() > 1 && part.front() == '0' && std::all_of(part.begin(), part.end(), IsDigit);
    if (padded && leading_zeros == LeadingZeros::kForbidden) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// major.minor.patch, then "-pre-release" and "+build", as semver 2.0 has it.
std::optional<SemanticVersion> ParseSemanticVersion(std::string_view text) {
  const auto major = TakeNumber(text);
  if (!major || !TakeCharacter(text, '.')) return std::nullopt;
  const auto minor = TakeNumber(text);
  if (!minor || !TakeCharacter(text, '.')) return std::nullopt;
  if (!TakeNumber(text)) return std::nullopt;
  const auto plus = text.find('+');
  if (plus != std::string_view::npos && !AreIdentifiers(text.substr(plus + 1), LeadingZeros::kAllowed)) {
    return std::nullopt;
  }
  text = text.substr(0, plus);
  if (!text.empty() && (!TakeCharacter(text, '-') || !AreIdentifiers(text, LeadingZeros::kForbidden))) {
    return std::nullopt;
  }
  return SemanticVersion{.major = *major, .minor = *minor};
}

}  // namespace

Result<Dialect> SelectDialect(const Json& document) {
  const Json* version = document.Find("version");
  if (version == nullptr || version->kind != Json::Kind::kString || version->text.empty()) {
    return Dialect::kLegacy;
  }
  if (version->text == "0.9.0-alpha") return Dialect::kContract09;
  if (version->text == "1.0.0") return Dialect::kContract10;
  if (version->text == "1.1.0-alpha" || version->text == kVersion010) return Dialect::kContract11;
  const Place place = Place{}.Key("version");
  const auto parsed = ParseSemanticVersion(version->text);
  if (!parsed) {
    return ErrorAt(place, version->position, Ticked(version->text) + " is not a schema version",
                   "write it as X.Y.Z, for example \"1.0.0\"");
  }
  if (parsed->major == 0 && parsed->minor >= 4 && parsed->minor <= 7) return Dialect::kLegacy;
  if (parsed->major == 0 && (parsed->minor == 8 || parsed->minor == 9)) return Dialect::kDirectional;
  const bool older = parsed->major == 0 && parsed->minor < 4;
  return ErrorAt(
      place, version->position,
      "schema version " + Ticked(version->text) + " is " + (older ? "older than supported" : "not supported"),
      "supported are 0.4 to 0.9, 0.10.0-alpha, 1.0.0 and 1.1.0-alpha");
}

}  // namespace mxc
