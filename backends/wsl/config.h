// A policy as the document that the mxc-exec of a distribution runs.
#pragma once

#include <string>
#include <vector>

#include "backends/wsl/section.h"
#include "mxc/policy.h"
#include "mxc/secret.h"

namespace mxc::wsl {

// `paths` and `cwd`: translated. Schema 1.1.0-alpha, with our additions.
// It asks for a container or more: what holds less is refused there.
[[nodiscard]] std::vector<TextPart> ConfigFor(const Policy& policy, const Section& section,
                                              const std::vector<PathRule>& paths, const std::string& cwd);

}  // namespace mxc::wsl
