// TOML to the tree of a JSON document: what settings are written in. Strings of several lines are refused;
// dates stay text.
#pragma once

#include <string>

#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

// Errors: kMalformed, with the line.
[[nodiscard]] Result<Json> ParseToml(const std::string& text);

}  // namespace mxc
