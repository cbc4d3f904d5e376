// The parts of a policy that a plan has to account for.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/config.h"
#include "mxc/policy.h"

namespace mxc {

// One clause for each entry that was written, and "no network" if none was for the network. `policy.paths`
// must be complete. `tools`: the reasons of entries that were not written, by path.
[[nodiscard]] std::vector<Clause> ClausesOf(const Config& config, const Policy& policy,
                                            const std::map<std::string, std::string>& tools = {});

}  // namespace mxc
