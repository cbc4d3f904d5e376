// Which keys of a configuration a command may write if `protect` has "config": "allow-safe": those of a
// table, by key and value. Everything else must keep its bytes and order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/protect/git/change.h"

namespace mxc {

// "" if `after` differs from `before` only in safe keys; else what was added or removed: a key, or a phrase.
[[nodiscard]] std::string UnsafeChange(std::string_view before, std::string_view after);
// Whether a command may have written all of it.
[[nodiscard]] bool IsAllSafe(std::string_view text);

// Configurations of `before` with other changes than of safe keys.
[[nodiscard]] std::vector<GitChange> ReviewGitConfigs(const GitSnapshot& before, const Host& host);

}  // namespace mxc
