#include <algorithm>

#include "report/shapes.h"

namespace mxc {
namespace {

constexpr ByteSet SetOf(std::string_view extra) {
  ByteSet set{};
  for (unsigned c = '0'; c <= '9'; ++c) set[c] = true;
  for (unsigned c = 'a'; c <= 'z'; ++c) set[c] = true;
  for (unsigned c = 'A'; c <= 'Z'; ++c) set[c] = true;
  for (const char c : extra) set[static_cast<unsigned char>(c)] = true;
  return set;
}

constexpr ByteSet kAlphanumeric = SetOf("");
constexpr ByteSet kWord = SetOf("_");
constexpr ByteSet kWebWord = SetOf("_-");       // base64url
constexpr ByteSet kDotted = SetOf("_-.");       // base64url in parts
constexpr ByteSet kToken68 = SetOf("-._~+/=");  // RFC 9110
constexpr ByteSet kBase64 = SetOf("+/=");

// A fixed prefix and at least `minimum` bytes of `body`.
struct Shape {
  std::string_view prefix;
  std::size_t minimum;
  const ByteSet* body;
};

// Prefixes that the services publish, mostly for scanners of secrets. Longer ones stand before shorter ones
// they begin with.
// clang-format off
constexpr Shape kShapes[] = {
    {"AGE-SECRET-KEY-1", 50, &kAlphanumeric},  // age
    {"AIza", 35, &kWebWord},                   // Google API key
    {"AKIA", 16, &kAlphanumeric},              // AWS access key of a user
    {"ASIA", 16, &kAlphanumeric},              // AWS, temporary
    {"ABIA", 16, &kAlphanumeric},              // AWS bearer
    {"ACCA", 16, &kAlphanumeric},              // AWS context
    {"ATATT3x", 50, &kDotted},                 // Atlassian
    {"ATBB", 28, &kAlphanumeric},              // Bitbucket
    {"GOCSPX-", 20, &kWebWord},                // Google OAuth client
    {"HRKU-", 36, &kWebWord},                  // Heroku
    {"NRAK-", 27, &kAlphanumeric},             // New Relic
    {"PMAK-", 24, &kWebWord},                  // Postman
    {"SG.", 60, &kDotted},                     // SendGrid
    {"dapi", 32, &kAlphanumeric},              // Databricks
    {"dckr_oat_", 20, &kWebWord},              // Docker Hub, organisation
    {"dckr_pat_", 20, &kWebWord},              // Docker Hub, personal
    {"doo_v1_", 40, &kAlphanumeric},           // DigitalOcean OAuth
    {"dop_v1_", 40, &kAlphanumeric},           // DigitalOcean personal
    {"dor_v1_", 40, &kAlphanumeric},           // DigitalOcean refresh
    {"dp.pt.", 40, &kAlphanumeric},            // Doppler personal
    {"dp.st.", 40, &kDotted},                  // Doppler service
    {"figd_", 36, &kWebWord},                  // Figma
    {"ghp_", 30, &kAlphanumeric},              // GitHub personal
    {"gho_", 30, &kAlphanumeric},              // GitHub OAuth
    {"ghu_", 30, &kAlphanumeric},              // GitHub user to server
    {"ghs_", 30, &kAlphanumeric},              // GitHub server
    {"ghr_", 30, &kAlphanumeric},              // GitHub refresh
    {"github_pat_", 22, &kWord},               // GitHub fine-grained
    {"glagent-", 40, &kWebWord},               // GitLab agent
    {"glcbt-", 20, &kWebWord},                 // GitLab CI job
    {"gldt-", 20, &kWebWord},                  // GitLab deploy
    {"glpat-", 20, &kWebWord},                 // GitLab personal
    {"glptt-", 20, &kWebWord},                 // GitLab trigger
    {"glrt-", 20, &kWebWord},                  // GitLab runner
    {"glc_", 32, &kBase64},                    // Grafana Cloud
    {"glsa_", 32, &kWord},                     // Grafana service account
    {"gsk_", 40, &kAlphanumeric},              // Groq
    {"hf_", 30, &kAlphanumeric},               // Hugging Face
    {"hvb.", 24, &kWebWord},                   // HashiCorp Vault, batch
    {"hvr.", 24, &kWebWord},                   // HashiCorp Vault, recovery
    {"hvs.", 24, &kWebWord},                   // HashiCorp Vault, service
    {"lin_api_", 32, &kAlphanumeric},          // Linear
    {"npm_", 36, &kAlphanumeric},              // npm
    {"ntn_", 40, &kAlphanumeric},              // Notion
    {"pplx-", 40, &kAlphanumeric},             // Perplexity
    {"pscale_oauth_", 32, &kDotted},           // PlanetScale
    {"pscale_pw_", 32, &kDotted},              // PlanetScale password
    {"pscale_tkn_", 32, &kDotted},             // PlanetScale service
    {"pypi-", 50, &kWebWord},                  // PyPI
    {"r8_", 37, &kAlphanumeric},               // Replicate
    {"rk_live_", 16, &kAlphanumeric},          // Stripe, restricted
    {"rubygems_", 48, &kAlphanumeric},         // RubyGems
    {"sbp_", 40, &kAlphanumeric},              // Supabase
    {"shpat_", 32, &kAlphanumeric},            // Shopify admin
    {"shpca_", 32, &kAlphanumeric},            // Shopify custom application
    {"shppa_", 32, &kAlphanumeric},            // Shopify private application
    {"shpss_", 32, &kAlphanumeric},            // Shopify shared secret
    {"sk-ant-", 20, &kWebWord},                // Anthropic
    {"sk-", 32, &kWebWord},                    // OpenAI, also sk-proj- and sk-svcacct-
    {"sk_live_", 16, &kAlphanumeric},          // Stripe
    {"sk_test_", 16, &kAlphanumeric},          // Stripe, test
    {"sntrys_", 50, &kDotted},                 // Sentry, organisation
    {"sntryu_", 50, &kAlphanumeric},           // Sentry, user
    {"sq0atp-", 22, &kWebWord},                // Square access
    {"sq0csp-", 40, &kWebWord},                // Square secret
    {"tskey-", 20, &kWebWord},                 // Tailscale
    {"xai-", 60, &kAlphanumeric},              // xAI
    {"xapp-", 10, &kWebWord},                  // Slack application
    {"xoxa-", 10, &kWebWord},                  // Slack, and all that follow
    {"xoxb-", 10, &kWebWord},
    {"xoxe-", 10, &kWebWord},
    {"xoxp-", 10, &kWebWord},
    {"xoxr-", 10, &kWebWord},
    {"xoxs-", 10, &kWebWord},
    {"ya29.", 20, &kWebWord},                  // Google OAuth access
};
// clang-format on

constexpr std::size_t kMaxWebTokenHeader = 1024;
constexpr std::size_t kMaxAuthority = 4000;  // of a URL
constexpr std::size_t kAwsSecretBytes = 40;
constexpr std::string_view kBehindAuthority{"/\"' \t\r\n\0\x1b", 9};

bool In(const ByteSet& set, char byte) { return set[static_cast<unsigned char>(byte)]; }

std::size_t RunLength(std::string_view text, std::size_t from, const ByteSet& set, std::size_t limit) {
  std::size_t end = from;
  while (end < text.size() && end - from < limit && In(set, text[end])) ++end;
  return end - from;
}

Match Partial(bool at_end) { return {.kind = at_end ? Match::Kind::kNone : Match::Kind::kStrong}; }

// Is `text` a beginning of `prefix`, or the other way round?
enum class Prefix { kNo, kPartly, kWhole };
Prefix Compare(std::string_view text, std::string_view prefix, bool any_case = false) {
  const std::size_t length = std::min(text.size(), prefix.size());
  for (std::size_t i = 0; i < length; ++i) {
    const char c = any_case && text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
    if (c != prefix[i]) return Prefix::kNo;
  }
  return length == prefix.size() ? Prefix::kWhole : Prefix::kPartly;
}

Match MatchShape(std::string_view text, const Shape& shape, bool at_end) {
  const Prefix prefix = Compare(text, shape.prefix);
  if (prefix == Prefix::kNo) return {};
  if (prefix == Prefix::kPartly) return Partial(at_end);
  const std::size_t run = RunLength(text, shape.prefix.size(), *shape.body, shape.minimum);
  const std::size_t length = shape.prefix.size() + run;
  if (run == shape.minimum) return {.kind = Match::Kind::kFound, .length = length, .rest = shape.body};
  return length == text.size() ? Partial(at_end) : Match{};
}

// header.payload.signature, the first two being base64url of JSON objects.
Match MatchWebToken(std::string_view text, bool at_end) {
  const Prefix prefix = Compare(text, "eyJ");
  if (prefix == Prefix::kNo) return {};
  const std::size_t header = RunLength(text, 0, kWebWord, kMaxWebTokenHeader);
  if (header == text.size()) return Partial(at_end);
  if (header < 12 || text[header] != '.') return {};
  const Prefix payload = Compare(text.substr(header + 1), "eyJ");
  if (payload == Prefix::kNo) return {};
  if (payload == Prefix::kPartly) return Partial(at_end);
  return {.kind = Match::Kind::kFound, .length = header + 4, .rest = &kDotted};
}

Match MatchBearer(std::string_view text, bool at_end) {
  constexpr std::string_view kScheme = "bearer ";
  constexpr std::size_t kMinimum = 16;
  const Prefix prefix = Compare(text, kScheme, true);
  if (prefix == Prefix::kNo) return {};
  if (prefix == Prefix::kPartly) return Partial(at_end);
  const std::size_t run = RunLength(text, kScheme.size(), kToken68, kMinimum);
  const std::size_t length = kScheme.size() + run;
  if (run == kMinimum) {
    return {.kind = Match::Kind::kFound, .keep = kScheme.size(), .length = length, .rest = &kToken68};
  }
  return length == text.size() ? Partial(at_end) : Match{};
}

// aws_secret_access_key = 40 characters, which have no prefix of their own.
Match MatchAwsSecret(std::string_view text, bool at_end) {
  constexpr std::string_view kName = "aws_secret_access_key";
  const Prefix prefix = Compare(text, kName, true);
  if (prefix == Prefix::kNo) return {};
  if (prefix == Prefix::kPartly) return Partial(at_end);
  std::size_t value = kName.size();
  while (value < text.size() && value < kName.size() + 8 &&
         std::string_view(" =:\"'").find(text[value]) != std::string_view::npos) {
    ++value;
  }
  if (value == text.size()) return Partial(at_end);
  const std::size_t run = RunLength(text, value, kBase64, kAwsSecretBytes);
  if (run == kAwsSecretBytes) {
    return {.kind = Match::Kind::kFound, .keep = value, .length = value + run, .rest = &kBase64};
  }
  return value + run == text.size() ? Partial(at_end) : Match{};
}

// ://user:password@
Match MatchUrlPassword(std::string_view text, bool at_end) {
  const Prefix prefix = Compare(text, "://");
  if (prefix == Prefix::kNo) return {};
  if (prefix == Prefix::kPartly) return Partial(at_end);
  // RFC 3986, and what stands around a URL. It ends at the last @, as clients read it.
  const std::string_view window = text.substr(0, kMaxAuthority);
  const std::string_view authority = window.substr(0, window.find_first_of(kBehindAuthority, 3));
  if (authority.size() == text.size() && text.size() < kMaxAuthority && !at_end) return Partial(at_end);
  const std::size_t colon = authority.find(':', 3);
  const std::size_t at = authority.rfind('@');
  if (colon == std::string_view::npos || at == std::string_view::npos || at <= colon + 1) return {};
  return {.kind = Match::Kind::kFound, .keep = colon + 1, .length = at};
}

}  // namespace

bool IsWordByte(unsigned char byte) { return kWord[byte]; }

bool MayStartSecret(unsigned char byte) {
  const bool in_table = std::any_of(std::begin(kShapes), std::end(kShapes), [&](const Shape& shape) {
    return static_cast<unsigned char>(shape.prefix[0]) == byte;
  });
  return in_table || std::string_view("-:eBbAaP").find(static_cast<char>(byte)) != std::string_view::npos;
}

Match MatchText(std::string_view text, std::string_view wanted, bool at_end) {
  const Prefix prefix = Compare(text, wanted);
  if (prefix == Prefix::kNo) return {};
  if (prefix == Prefix::kPartly) return Partial(at_end);
  return {.kind = Match::Kind::kFound, .length = wanted.size()};
}

Match MatchSecret(std::string_view text, bool at_end) {
  Match best;
  const auto consider = [&](const Match& match) {
    if (match.kind > best.kind) best = match;
  };
  for (const Shape& shape : kShapes) {
    if (shape.prefix[0] == text[0]) consider(MatchShape(text, shape, at_end));
    if (best.kind == Match::Kind::kFound) return best;
  }
  for (const auto matcher : {MatchWebToken, MatchBearer, MatchAwsSecret, MatchUrlPassword}) {
    consider(matcher(text, at_end));
  }
  return best;
}

}  // namespace mxc
