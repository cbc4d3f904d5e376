// The section `seatbelt` of a configuration, and the desktop.
#pragma once

#include <string>
#include <vector>

#include "backends/seatbelt/sbpl.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::seatbelt {

struct Options {
  std::string profile_override = {};  // takes the place of every rule
  bool gui = false;
  bool nested_pty = true;
  bool keychain = false;
  std::vector<std::string> mach_lookups = {};
};

// Errors: kConflict for what cannot be done, or is not the name of a service.
[[nodiscard]] Result<Options> ReadOptions(const Policy& policy);

// Appends to `profile`, and to the ledger, relaxations and what is not covered of `plan`. Errors:
// kUnenforceable.
[[nodiscard]] Status LowerDesktop(const Policy& policy, const Options& options, Profile& profile, Plan& plan);
void LowerOptions(const Options& options, Profile& profile, Plan& plan);

}  // namespace mxc::seatbelt
