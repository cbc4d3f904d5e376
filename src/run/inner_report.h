// What an mxc-exec in another system says of its run: the file of its --result.
#pragma once

#include <optional>
#include <string_view>

#include "mxc/error.h"
#include "mxc/outcome.h"

namespace mxc {

struct InnerReport {
  bool started = false;  // the command was
  std::optional<Outcome> outcome = {};
  std::optional<Error> error = {};
};

// Neither outcome nor error: it did not come to its end. Lines that are none of its events are passed over.
[[nodiscard]] InnerReport ReadInnerReport(std::string_view lines);

}  // namespace mxc
