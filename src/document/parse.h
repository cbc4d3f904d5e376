// Bytes to a tree with positions. Checks what needs no knowledge of the schema: syntax, UTF-8, duplicate
// keys, depth, list lengths, NUL.
#pragma once

#include "document/source.h"
#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

// Errors: kMalformed, with position. The message never quotes a value of the document.
[[nodiscard]] Result<Json> ParseDocument(const Source& source);

}  // namespace mxc
