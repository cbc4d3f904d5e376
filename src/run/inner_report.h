// Reads the --result file of an mxc-exec in another system.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/outcome.h"

namespace mxc {

struct InnerReport {
  bool started = false;  // the command was started
  std::optional<Outcome> outcome = {};
  std::optional<Error> error = {};
  std::vector<Warning> warnings = {};  // that it would have printed
  // Why neither outcome nor error is taken: the text is not what an mxc-exec of this version writes, or
  // contradicts itself. Empty: nothing is wrong.
  std::string unreadable = {};
};

// Returns neither outcome nor error if the inner mxc-exec wrote none. An outcome is taken only if each of its
// members is there once, with its type and within its bounds, and the command was isolated. Skips lines that
// are no JSON objects, and unknown events.
[[nodiscard]] InnerReport ReadInnerReport(std::string_view lines);

// The error in the last line of an mxc-exec's standard error; absent if that line is none.
[[nodiscard]] std::optional<Error> ReadInnerError(std::string_view text);

}  // namespace mxc
