// Cuts the paths of a request by those of a ceiling, by file and not by name.
#pragma once

#include <vector>

#include "ceiling/ceiling_files.h"
#include "ceiling/cuts.h"
#include "policy/paths/entries.h"

namespace mxc {

// Each grant keeps what every section grants as well, and loses what one denies, under every name that mounts
// give it. Where no entry of a section covers a path, only the baseline's access remains.
void CutEntries(const CeilingFiles& files, std::vector<ExaminedEntry>& entries, Cuts& cuts);

}  // namespace mxc
