// The stages before Launch: Resolve and Plan.
#pragma once

#include <optional>

#include "cli.h"
#include "config/config.h"
#include "mxc/containment.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// Everything the stages before Launch find out.
struct Prepared {
  Policy policy = {};
  Plan plan = {};
  SessionConfig session = {};  // of a persistent sandbox, within the ceiling
};

// One step of the isolation fallback.
struct Fallback {
  Containment containment = Containment::kNamespaces;
  IsolationLevel isolation_level = IsolationLevel::kNone;
};

// Resolve and Plan, on one step of the isolation fallback, or without it on what the configuration and this
// host say.
[[nodiscard]] Result<Prepared> PrepareOn(const std::optional<Fallback>& choice, const Config& config,
                                         const Options& options, const Host& host);

// A command that is not where its caller stands fails in ways that do not say so: warns of it, unless the
// configuration or a flag says where the command starts.
void WarnOfDirectory(const Options& options, const Host& host, Prepared& prepared);
// Warns of a grant of / by a relative path: --rw . where the current directory is /.
void WarnOfGrantedRoot(const Options& options, Plan& plan);

}  // namespace mxc
