// A Config plus a Host: what the configuration means here.
//
// Selection comes first (intent to containment, gate, other operating systems), then paths (objects by device
// and inode, strictest intent per object, most specific path wins), cwd, environment, clauses.
#pragma once

#include "ceiling/ceiling.h"
#include "ceiling/cuts.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/own_state.h"

namespace mxc {

// The ceiling of a policy, and what it cut.
struct Bounds {
  const Ceiling* ceiling = nullptr;
  Cuts* cuts = nullptr;  // if there is a ceiling
};

struct ResolveOptions {
  bool experimental = false;       // --experimental
  bool allow_unsandboxed = false;  // --allow-unsandboxed
  // The plan is shown and never run: a containment of another system is resolved as it is written.
  bool shown_only = false;
  bool network_recorded = false;  // --report
  // What "process" and "auto" mean on Linux: our own engine where this host allows it.
  Containment linux_process = Containment::kBubblewrap;
  PolicyFile policy_file = {};
  // The directory of the image's root file system, absolute; empty: the host's files are shown.
  std::string image = {};
  Bounds bounds = {};
};

// Whether "process", "auto" or nothing was written: any containment of the tier process or better.
[[nodiscard]] bool MeansProcess(const Config& config);

// Which containment a configuration gets on this system; no file is looked at.
// Errors: kUnsupported, kGated (exit status 1).
[[nodiscard]] Result<Containment> SelectContainment(const Config& config, OperatingSystem system,
                                                    const ResolveOptions& options);

// Errors: those of SelectContainment, kConflict (exit status 255) with the pointer of the clause,
// kSetupFailed for a program that is not inside.
[[nodiscard]] Result<Policy> Resolve(const Config& config, const Host& host, const ResolveOptions& options);

}  // namespace mxc
