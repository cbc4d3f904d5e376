#include "persistent/id.h"

#include <algorithm>
#include <vector>

#include "base/own_files.h"

namespace mxc::session {
namespace {

constexpr std::string_view kPrefixForSdk = "iso:";
constexpr std::string_view kDigits = "0123456789abcdef";

const IdKind* KindOf(Containment containment) {
  const std::span<const IdKind> kinds = IdKinds();
  const auto known = std::find_if(kinds.begin(), kinds.end(), [containment](const IdKind& kind) {
    return kind.containment == containment;
  });
  return known == kinds.end() ? nullptr : &*known;
}

std::string Joined(const SandboxId& id, char separator) {
  const IdKind* const kind = KindOf(id.containment);
  return std::string(kind == nullptr ? "" : kind->prefix) + separator + id.token;
}

Error Malformed(std::string_view why) {
  return {.code = ErrorCode::kMalformedId,
          .message = "the sandboxId " + std::string(why),
          .pointer = "/sandboxId",
          .hint = "use the sandboxId that provision has answered, unchanged"};
}

std::string Prefixes() {
  std::string text;
  for (const IdKind& kind : IdKinds()) {
    const bool last = &kind == &IdKinds().back();
    if (!text.empty()) text += last ? " or " : ", ";
    text += "'" + std::string(kind.prefix) + ":'";
  }
  return text;
}

Result<SandboxId> Parse(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos || at == 0) return Malformed("has no prefix");
  const std::string_view prefix = text.substr(0, at);
  const std::string_view token = text.substr(at + 1);
  for (const IdKind& known : IdKinds()) {
    if (known.prefix != prefix) continue;
    if (token.size() != known.digits || token.find_first_not_of(kDigits) != std::string_view::npos)
      return Malformed("does not end with " + std::to_string(known.digits) + " hexadecimal digits");
    return SandboxId{.containment = known.containment, .token = std::string(token)};
  }
  return Unsupported("the prefix of the sandboxId is of no containment that has persistent sandboxes here",
                     "/sandboxId", "provision answers identifiers that begin with " + Prefixes());
}

}  // namespace

std::string SandboxId::Text() const { return Joined(*this, ':'); }
std::string SandboxId::TextForSdk() const {
  const IdKind* const kind = KindOf(containment);
  return kind != nullptr && kind->of_sdks ? Text() : std::string(kPrefixForSdk) + Name();
}
std::string SandboxId::Name() const { return Joined(*this, '-'); }

Result<SandboxId> NewSandboxId(Containment containment) {
  const IdKind* const kind = KindOf(containment);
  if (kind == nullptr) {
    return Error{.code = ErrorCode::kUnsupportedPhase,
                 .message = "the containment '" + std::string(mxc::Name(containment)) +
                            "' has no persistent sandboxes",
                 .pointer = "/phase",
                 .hint = "run the command once, without a phase"};
  }
  std::vector<unsigned char> bytes(kind->digits / 2);
  if (!FillRandom(bytes)) return SetupFailed("make an identifier: the system has no randomness");
  SandboxId id{.containment = containment};
  for (const unsigned char byte : bytes) {
    id.token += kDigits[byte >> 4U];
    id.token += kDigits[byte & 15U];
  }
  return id;
}

Result<SandboxId> ParseSandboxId(std::string_view text) {
  if (text.starts_with(kPrefixForSdk)) {
    Result<SandboxId> id = Parse(text.substr(kPrefixForSdk.size()), '-');
    if (id) return id;
  }
  return Parse(text, ':');
}
Result<SandboxId> ParseSandboxName(std::string_view name) { return Parse(name, '-'); }

}  // namespace mxc::session
