// Cuts the parts of a request that can be checked against a ceiling without looking at files.
#pragma once

#include <string>

#include "ceiling/ceiling.h"
#include "ceiling/cuts.h"
#include "config/config.h"
#include "mxc/error.h"

namespace mxc {

// Cuts network, limits, variables, protection, audit log and profiles of `config` to what the
// section allows. Errors, kConflict: a required audit log is not asked for.
[[nodiscard]] Status CutConfig(const CeilingSection& section, Config& config, Cuts& cuts);
// Parts of CutConfig.
void AddPins(const CeilingSection& section, Config& config);
void CutTime(const CeilingSection& section, Config& config, Cuts& cuts);
void CutVariables(const CeilingSection& section, Config& config, Cuts& cuts);
// Whether every section lets a command have the variable that the request names at `pointer`.
[[nodiscard]] bool AllowVariable(const Ceiling& ceiling, const std::string& name, const std::string& pointer,
                                 Cuts& cuts);
void CutNetwork(const CeilingSection& section, Network& network, Cuts& cuts);
// Uses no proxy of the environment that the section does not name; Resolve has read them by then.
void CutUpstream(const CeilingSection& section, Network& network, Cuts& cuts);
// Whether the section allows the containment that was selected; never `none`. Errors, kConflict.
[[nodiscard]] Status CheckContainment(const CeilingSection& section, const Config& config,
                                      Containment containment);

}  // namespace mxc
