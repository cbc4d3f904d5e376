// The paths of a request, held against those of a ceiling: files, whatever name each of the two gives them.
#pragma once

#include <vector>

#include "ceiling/ceiling.h"
#include "ceiling/cuts.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/entries.h"
#include "policy/paths/paths.h"

namespace mxc {

// Each grant keeps what the section grants as well, and loses what it denies, under every name that mounts
// give it. A section without paths for something leaves of it what the baseline has. Errors: kConflict, for a
// section that cannot be resolved.
[[nodiscard]] Status CutEntries(const CeilingSection& section, const Host& host, PathWalker& walker,
                                std::vector<Entry>& entries, Cuts& cuts);

}  // namespace mxc
