// Profiles: named fragments of a configuration that say what a tool needs. Those of schemas/profiles are part
// of the program, the caller's own stand in $XDG_CONFIG_HOME/mxc-exec/profiles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/json.h"

namespace mxc {

struct Profile {
  std::string name = {};
  std::string file = {};  // of the caller's own, without links; empty: it is part of the program
  std::vector<std::string> places = {};  // that file, and the links that lead to it
  std::string text = {};
  Json document = {};
};

// In order, those of the program first.
[[nodiscard]] std::vector<std::string> ProfileNames(const Host& host);

// Errors: kUsage for a name that there is none of, with the nearest; kConflict for a file that others could
// change, that has a second name, or that is none; those of ParseDocument.
[[nodiscard]] Result<Profile> ReadProfile(const std::string& name, const Host& host);

// The toolchain's profile that has a host; "": none.
[[nodiscard]] std::string ProfileForHost(std::string_view host);

// The first line of its `_comment`.
[[nodiscard]] std::string AboutProfile(const Profile& profile);

// All of them, a line each.
[[nodiscard]] std::string ProfileTable(const Host& host);

}  // namespace mxc
