#include <sys/random.h>

#include <array>
#include <cerrno>

#include "session/id.h"

namespace mxc::session {
namespace {

constexpr std::size_t kTokenBytes = 16;
constexpr std::string_view kDigits = "0123456789abcdef";

struct Prefix {
  std::string_view text;
  Containment containment;
};

constexpr Prefix kPrefixes[] = {
    {"ns", Containment::kNamespaces}, {"bwrap", Containment::kBubblewrap}, {"lxc", Containment::kLxc}};

std::string_view PrefixOf(Containment containment) {
  for (const Prefix& prefix : kPrefixes) {
    if (prefix.containment == containment) return prefix.text;
  }
  return {};
}

Error Malformed(std::string_view why) {
  return {.code = ErrorCode::kMalformedId,
          .message = "the sandboxId " + std::string(why),
          .pointer = "/sandboxId",
          .hint = "use the sandboxId that provision has answered, unchanged"};
}

Result<SandboxId> Parse(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos || at == 0) return Malformed("has no prefix");
  const std::string_view prefix = text.substr(0, at);
  const std::string_view token = text.substr(at + 1);
  for (const Prefix& known : kPrefixes) {
    if (known.text != prefix) continue;
    if (token.size() != 2 * kTokenBytes || token.find_first_not_of(kDigits) != std::string_view::npos)
      return Malformed("does not end with 32 hexadecimal digits");
    return SandboxId{.containment = known.containment, .token = std::string(token)};
  }
  return Error{
      .code = ErrorCode::kUnsupported,
      .message = "the prefix of the sandboxId is of no containment that has sandboxes that stay here",
      .pointer = "/sandboxId",
      .hint = "provision answers identifiers that begin with 'ns:', 'bwrap:' or 'lxc:'"};
}

}  // namespace

std::string SandboxId::Text() const { return std::string(PrefixOf(containment)) + ":" + token; }
std::string SandboxId::Name() const { return std::string(PrefixOf(containment)) + "-" + token; }

Result<SandboxId> NewSandboxId(Containment containment) {
  if (PrefixOf(containment).empty()) {
    return Error{
        .code = ErrorCode::kUnsupportedPhase,
        .message = "the containment '" + std::string(mxc::Name(containment)) + "' has no sandboxes that stay",
        .pointer = "/phase",
        .hint = "provision \"containment\": \"process\", or run the command once, without a phase"};
  }
  std::array<unsigned char, kTokenBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return SystemError(ErrorCode::kSetupFailed, "make an identifier", errno);
  SandboxId id{.containment = containment};
  for (const unsigned char byte : bytes) {
    id.token += kDigits[byte >> 4U];
    id.token += kDigits[byte & 15U];
  }
  return id;
}

Result<SandboxId> ParseSandboxId(std::string_view text) { return Parse(text, ':'); }
Result<SandboxId> ParseSandboxName(std::string_view name) { return Parse(name, '-'); }

}  // namespace mxc::session
