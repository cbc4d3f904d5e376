// The flags of the policy as members of a configuration, so that both go through the same checks: lists grow
// at their end, a single value takes the place of the configuration's.
#pragma once

#include <vector>

#include "cli.h"
#include "flag_places.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/json.h"

namespace mxc {

// Errors: kUsage for a value that is none, for one that the document's dialect cannot express, and for a word
// that may be a path or a configuration.
[[nodiscard]] Result<std::vector<FlagPlace>> AddFlags(const Options& options, const Host& host,
                                                      Json& document);

}  // namespace mxc
