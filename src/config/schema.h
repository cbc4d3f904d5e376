// The JSON Schemas of the dialects, rendered from the field tables that Decode checks documents against.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"

namespace mxc {

// Versions for which a schema can be printed, newest last ("0.4.0-alpha" ... "1.1.0-alpha", "mxc-exec").
[[nodiscard]] std::vector<std::string> SchemaVersions();
// That of a ceiling (docs/operators.md), which has no versions.
inline constexpr std::string_view kCeilingSchema = "ceiling";
// Draft 2020-12 text. Errors: kUsage for anything else.
[[nodiscard]] Result<std::string> SchemaText(std::string_view version);

}  // namespace mxc
