// The section `seatbelt` of a configuration, and the desktop.
#pragma once

#include <string>
#include <vector>

#include "backends/seatbelt/sbpl.h"
#include "mxc/plan.h"
#include "mxc/policy.h"

namespace mxc::seatbelt {

struct Options {
  std::string profile_override = {};  // replaces every rule
  bool gui = false;
  bool nested_pty = true;
  bool keychain = false;
  std::vector<std::string> mach_lookups = {};
};

// Errors: kConflict for an option that is not possible, or for an invalid service name.
[[nodiscard]] Result<Options> ReadOptions(const Policy& policy);

// Appends to `profile`, and to `ledger`, `relaxations` and `not_covered` of `plan`. Errors: kUnenforceable.
[[nodiscard]] Status LowerDesktop(const Policy& policy, const Options& options, Profile& profile, Plan& plan);
void LowerOptions(const Options& options, Profile& profile, Plan& plan);

}  // namespace mxc::seatbelt
