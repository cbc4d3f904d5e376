// What of a request needs no files to be held against a ceiling.
#pragma once

#include "ceiling/ceiling.h"
#include "ceiling/cuts.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"

namespace mxc {

// Network, sockets, limits, variables, protection, record and profiles of `config` become what lies in it and
// in the section. Errors, kConflict: a required record that is not asked for.
[[nodiscard]] Status CutConfig(const CeilingSection& section, const Host& host, Config& config, Cuts& cuts);
// Parts of CutConfig.
void AddPins(const CeilingSection& section, Config& config);
void CutTime(const CeilingSection& section, Config& config, Cuts& cuts);
void CutVariables(const CeilingSection& section, Config& config, Cuts& cuts);
void CutNetwork(const CeilingSection& section, Network& network, Cuts& cuts);
// Whether the run may use what its containment has come to. Errors, kConflict. `none` never.
[[nodiscard]] Status CheckContainment(const CeilingSection& section, const Config& config,
                                      Containment containment);

}  // namespace mxc
