// A document of any published dialect to the one Config (contract 3 and 4).
//
//   Result<Config> config = Decode(document, {.system = OperatingSystem::kLinux});
//
// All schema errors of a document are reported: the first is the Error, the rest are its `others`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "mxc/containment.h"
#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

struct DecodeOptions {
  OperatingSystem system = OperatingSystem::kLinux;  // resolves the intent for the rule on backend sections
  bool testing_features = false;                     // --allow-testing-features
  // `mxc-exec CONFIG -- CMD ARGS...`: replaces the command; `process` may then be missing.
  std::vector<std::string> command = {};
};

// The phase a document names, whatever else is wrong with it.
[[nodiscard]] std::optional<Phase> PhaseOf(const Json& document);

// Does it have keys of `network` that only the older dialect has? They cannot stand beside rules.
[[nodiscard]] bool UsesLegacyNetwork(const Json& document);

[[nodiscard]] Result<Config> Decode(const Json& document, const DecodeOptions& options);

}  // namespace mxc
