// A denial of writing in the settings of other programs wins over every grant below it; in a configuration
// the most specific path does.
#pragma once

#include <string>

#include "import/imported.h"
#include "mxc/host.h"

namespace mxc {

// Leaves out grants of writing that a denial covers, and turns `no_write` into read-only or denied entries.
// Paths are compared as they stand on this host, with ${PWD} for `directory`. Errors: kSchema, for a path
// that cannot be expanded; kUnsupported, where there are too many.
[[nodiscard]] Status LetDenialsWin(const std::string& directory, const Host& host, Imported& imported);

}  // namespace mxc
