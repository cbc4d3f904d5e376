// `helpers` and `review`.
#include <algorithm>

#include "config/decoding.h"

namespace mxc {
namespace {

constexpr std::size_t kDigestDigits = 64;
constexpr std::string_view kDigestAlphabet = "0123456789abcdefABCDEF";

std::string InSmallDigits(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace

void DecodeHelpers(Decoding& decoding) {
  const Json* const helpers = Member(&decoding.document, "helpers");
  if (helpers == nullptr) return;
  for (const JsonMember& member : helpers->members) {
    const Json* const digest = Member(&member.value, "sha256");
    if (digest == nullptr) continue;
    const Place place = Place{}.Key("helpers").Key(member.key);
    if (digest->text.size() != kDigestDigits ||
        digest->text.find_first_not_of(kDigestAlphabet) != std::string::npos) {
      decoding.Fail(place.Key("sha256"), *digest, "is no SHA-256", "write its 64 hexadecimal digits");
      continue;
    }
    decoding.config.helpers.push_back(
        {.name = member.key, .sha256 = InSmallDigits(digest->text), .pointer = place.pointer});
  }
}

void DecodeReview(Decoding& decoding) {
  if (Member(&decoding.document, "review") != nullptr) decoding.config.review_pointer = "/review";
}

}  // namespace mxc
