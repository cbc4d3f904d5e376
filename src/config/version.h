// Which dialect a document is written in: its `version` alone decides.
#pragma once

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

// `document` is an object. Absent, null and "" mean the legacy dialect; a version that is not a string does
// too, the shape check reports it. 0.10.0-alpha became 1.1.0-alpha and is its dialect; only the shape check
// tells them apart. Errors: kSchema for text that is no version, or one nobody published.
[[nodiscard]] Result<Dialect> SelectDialect(const Json& document);

}  // namespace mxc
