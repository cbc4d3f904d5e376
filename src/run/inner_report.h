// What an mxc-exec in another system says of its run: the file of its --result.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/outcome.h"

namespace mxc {

struct InnerReport {
  bool started = false;  // the command was
  std::optional<Outcome> outcome = {};
  std::optional<Error> error = {};
  std::vector<Warning> warnings = {};  // that it would have printed
  // Why neither outcome nor error is taken: what came is not what an mxc-exec of this version writes, or
  // speaks against itself. Empty: nothing is wrong.
  std::string unreadable = {};
};

// Neither outcome nor error: it did not come to its end. Every member that an outcome is made of is there,
// once, with its type and within its bounds, and the command was held by something. Lines that are no objects
// of JSON, and events that are none of its own, are passed over.
[[nodiscard]] InnerReport ReadInnerReport(std::string_view lines);

// The error with which the standard error of an mxc-exec ends. Nothing: it does not end so.
[[nodiscard]] std::optional<Error> ReadInnerError(std::string_view text);

}  // namespace mxc
