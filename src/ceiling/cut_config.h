// Cuts the parts of a request that can be checked against a ceiling without looking at files.
#pragma once

#include "ceiling/ceiling.h"
#include "ceiling/cuts.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

// Cuts network, sockets, limits, variables, protection, audit log and profiles of `config` to what the
// section allows. Errors, kConflict: a required audit log is not asked for.
[[nodiscard]] Status CutConfig(const CeilingSection& section, const Host& host, Config& config, Cuts& cuts);
// Parts of CutConfig.
void AddPins(const CeilingSection& section, Config& config);
void CutTime(const CeilingSection& section, Config& config, Cuts& cuts);
void CutVariables(const CeilingSection& section, Config& config, Cuts& cuts);
void CutNetwork(const CeilingSection& section, Network& network, Cuts& cuts);
// Whether the section allows the containment that was selected; never `none`. Errors, kConflict.
[[nodiscard]] Status CheckContainment(const CeilingSection& section, const Config& config,
                                      Containment containment);

}  // namespace mxc
