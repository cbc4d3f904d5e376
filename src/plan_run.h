// The stages before Launch: Resolve and Plan, down the isolation fallback where this host lacks something.
#pragma once

#include <optional>
#include <string_view>

#include "cli.h"
#include "config/config.h"
#include "isolation_fallback.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc {

// Everything the stages before Launch find out.
struct Prepared {
  Policy policy = {};
  Plan plan = {};
};

// Category of the warning that says that no namespaces are used.
inline constexpr std::string_view kWeakerIsolation = "weaker-isolation";

// Which containment, and how far down the isolation fallback; without it what the configuration and this host
// say.
using Choice = std::optional<Fallback>;

[[nodiscard]] Result<Prepared> PrepareOn(const Choice& choice, const Config& config, const Options& options,
                                         const Host& host);
// What this host lacks can be seen before the kernel is asked; then the last rung is next.
[[nodiscard]] Result<Prepared> Prepare(const Config& config, const Options& options, const Host& host);
// Why the weaker isolation level does not do either, with what the user can do about the first.
[[nodiscard]] Error Both(const Error& refusal, Error weaker);

}  // namespace mxc
