// "expand": true: ~, ${HOME}, ${PWD} and the XDG directories at the beginning of a configuration's paths.
// Without it nothing is expanded, but for Seatbelt ~, as the reference does on macOS.
#pragma once

#include <optional>
#include <string>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/json.h"

namespace mxc {

// What HOME says, else the list of users; on Windows USERPROFILE. Empty or absent: neither says anything.
[[nodiscard]] std::optional<std::string> CallersHome(const Host& host);

// `directory`: of the file that the document stands in, for ${PWD}; empty: it stands in none.
// Errors: kSchema, for a variable that is unknown, not set, or no directory.
[[nodiscard]] Status ExpandDocument(const std::string& directory, const Host& host, Json& document);

// What a variable that is no directory of the caller's stands for; empty: there is none here.
struct ExpansionPlaces {
  std::string directory = {};  // ${PWD}
  std::string cache = {};      // ${CACHE}, of profiles alone
};
// One path. Errors: as above, without a place.
[[nodiscard]] Result<std::string> ExpandPath(const std::string& path, const ExpansionPlaces& places,
                                             const Host& host);

}  // namespace mxc
