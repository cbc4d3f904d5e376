// Cuts the paths of a request by those of a ceiling, by file and not by name.
#pragma once

#include <vector>

#include "ceiling/ceiling.h"
#include "ceiling/cuts.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "policy/paths/entries.h"
#include "policy/paths/paths.h"

namespace mxc {

// Each grant keeps what the section grants as well, and loses what the section denies, under every name that
// mounts give it. Where no entry of the section covers a path, only the baseline's access remains. Errors:
// kConflict, for a section that cannot be resolved.
[[nodiscard]] Status CutEntries(const CeilingSection& section, const Host& host, PathWalker& walker,
                                std::vector<ExaminedEntry>& entries, Cuts& cuts);

}  // namespace mxc
