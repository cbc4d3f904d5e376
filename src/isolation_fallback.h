// What "process" and "auto" mean on this Linux, and what follows when the host lacks it or the kernel refuses
// it at launch: the isolation fallback of docs/adr/0008.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "mxc/backend.h"
#include "mxc/host.h"
#include "mxc/outcome.h"
#include "plan_run.h"
#include "run/run.h"

namespace mxc {

// Where the configuration has a say in what `auto` is (a section in its AutoPlace, `selection.order`):
// `config` with the containment named in it, so that no weaker one takes its place later. Else as it is.
// Errors: kUnavailable when nothing of `selection.order` is usable here.
[[nodiscard]] Result<Config> ChooseContainment(Config config, const Host& host);

// Of `auto` that stays in such a place.
[[nodiscard]] std::vector<Warning> StaysInPlace(const Config& config, const Host& host);

// A containment, and what its quick probe says of this host.
struct Found {
  Containment containment = Containment::kNamespaces;
  Support support = {};
};

// The strongest containment that looks usable: our own engine, bubblewrap, Landlock alone. When none does,
// the first, whose refusal says why.
[[nodiscard]] Found LinuxProcess(const Host& host);

// Why a run has this containment; of `auto`: what those that are stronger lack here.
[[nodiscard]] std::string WhyChosen(const Config& config, Containment chosen, const Host& host);

// The next isolation level below a plan that the kernel refused (kUnavailable); nothing at the end of the
// isolation fallback. `any_process`: the configuration asked for "process", "auto" or nothing, and not for
// one containment.
[[nodiscard]] std::optional<Fallback> NextFallback(IsolationLevel isolation_level, bool any_process);

// Category of the warning that says that no namespaces are used, and that warning.
inline constexpr std::string_view kWeakerIsolation = "weaker-isolation";
[[nodiscard]] Warning WeakerIsolation();

// Resolve and Plan. What this host lacks can be seen before the kernel is asked; then the weakest level is
// next.
[[nodiscard]] Result<Prepared> Prepare(const Config& config, const Options& options, const Host& host);

// Launch and Relay. When the kernel refuses the run before it has begun, the next level is taken on which the
// policy holds; `on_weaker` is told, with the refusal, before it is run. When a file of the plan has gone
// before it began (Error::outdated), the same level is planned anew. `prepared` becomes what was run last.
[[nodiscard]] Result<Outcome> RunWithFallback(
    const Config& config, const Options& options, const Host& host, Prepared& prepared, RunObserver& observer,
    const std::function<void(const Plan& plan, const Error& refusal)>& on_weaker);

}  // namespace mxc
