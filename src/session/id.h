// Identifiers of sandboxes that stay: a prefix for the containment, and 32 hexadecimal digits that nobody can
// guess.
#pragma once

#include <string>
#include <string_view>

#include "mxc/containment.h"
#include "mxc/error.h"

namespace mxc::session {

struct SandboxId {
  Containment containment = Containment::kNamespaces;
  std::string token = {};  // 32 lower case hexadecimal digits

  [[nodiscard]] std::string Text() const;  // "ns:0123..."
  [[nodiscard]] std::string Name() const;  // of its socket: "ns-0123..."
};

// Errors: kUnsupportedPhase for a containment without sandboxes that stay, kSetupFailed without randomness.
[[nodiscard]] Result<SandboxId> NewSandboxId(Containment containment);
// Errors: kMalformedId; kUnsupported for the prefix of a containment we have no such sandboxes of.
[[nodiscard]] Result<SandboxId> ParseSandboxId(std::string_view text);
// The inverse of Name(); an error for any other file.
[[nodiscard]] Result<SandboxId> ParseSandboxName(std::string_view name);

}  // namespace mxc::session
