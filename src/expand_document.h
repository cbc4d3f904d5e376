// "expand": true: ~, ${HOME}, ${PWD} and the XDG directories at the beginning of a configuration's paths.
// Without it nothing is expanded.
#pragma once

#include <string>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/json.h"

namespace mxc {

// `directory`: of the file that the document stands in, for ${PWD}; empty: it stands in none.
// Errors: kSchema, for a variable that is unknown, not set, or no directory.
[[nodiscard]] Status ExpandDocument(const std::string& directory, const Host& host, Json& document);

}  // namespace mxc
