// Identifiers of persistent sandboxes: a prefix for the containment, and random hexadecimal digits.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "mxc/containment.h"
#include "mxc/error.h"

namespace mxc::session {

// A containment that has persistent sandboxes on this system. IdKinds lists the one to advise first, and
// those on other machines last.
struct IdKind {
  std::string_view prefix;
  Containment containment = Containment::kNamespaces;
  std::size_t digits = 32;
  bool of_sdks = false;  // SDKs know the prefix
};
[[nodiscard]] std::span<const IdKind> IdKinds();

struct SandboxId {
  Containment containment = Containment::kNamespaces;
  std::string token = {};  // lower case hexadecimal digits

  [[nodiscard]] std::string Text() const;  // "ns:0123..."
  // The same for SDKs, which know the prefixes of Windows alone: "iso:ns-0123...".
  [[nodiscard]] std::string TextForSdk() const;
  [[nodiscard]] std::string Name() const;  // of its socket or folder: "ns-0123..."
};

// Errors: kUnsupportedPhase for a containment without persistent sandboxes, kSetupFailed without randomness.
[[nodiscard]] Result<SandboxId> NewSandboxId(Containment containment);
// Errors: kMalformedId; kUnsupported for the prefix of a containment we have no such sandboxes of.
[[nodiscard]] Result<SandboxId> ParseSandboxId(std::string_view text);
// The inverse of Name(); an error for any other file.
[[nodiscard]] Result<SandboxId> ParseSandboxName(std::string_view name);

}  // namespace mxc::session
