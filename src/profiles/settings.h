// The caller's settings: what a policy starts from that does not say otherwise. They stand in
// $XDG_CONFIG_HOME/mxc-exec/config.json, which no command can write, and nowhere else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "mxc/json.h"

namespace mxc {

struct Settings {
  std::string file = {};                   // empty: there are none
  std::vector<JsonMember> members = {};    // of a document: containment, profiles, audit
  std::optional<std::string> report = {};  // "" or "short"
};

// Errors: kConflict for a file that is a link, or that others could change; kSchema for one that says
// something else; those of ParseDocument.
[[nodiscard]] Result<Settings> ReadSettings(const Host& host);

// The document gets what it does not say; `settings` keeps what it got.
void AddSettings(Settings& settings, Json& document);

// Where a clause comes from: "settings: /audit". Errors about one name the file.
void NameSettings(const Settings& settings, bool containment_overruled, Result<Config>& config);

}  // namespace mxc
