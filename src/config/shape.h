// Holds a document against the field tables: types, names, bounds, required members. After it, decoding
// reads members without asking for their types.
#pragma once

#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/json.h"

namespace mxc {

struct ShapeReport {
  std::vector<Error> errors = {};  // in document order, at most kMaxReportedErrors
  std::vector<Warning> notes = {};
};

enum class Command { kInDocument, kGivenApart };  // kGivenApart: `process` need not name one

[[nodiscard]] ShapeReport CheckShape(const Json& document, Dialect dialect, Command command);
// A section of a ceiling, against CeilingShape.
[[nodiscard]] ShapeReport CheckCeilingShape(const Json& section);

}  // namespace mxc
