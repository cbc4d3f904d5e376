// Which keys of a configuration a command may write where `protect` says "config": "allow-safe": those of a
// table, by key and value. Everything else has to stay byte for byte what it was, in its order.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/protect/git/change.h"

namespace mxc {

// "" when `after` differs from `before` in nothing but keys that execute nothing; else what is more, or less:
// a key, or a phrase.
[[nodiscard]] std::string UnsafeChange(std::string_view before, std::string_view after);
// All it says a command could have written.
[[nodiscard]] bool IsAllSafe(std::string_view text);

// Configurations of before that say more than keys that execute nothing, or less than they did.
[[nodiscard]] std::vector<GitChange> ReviewGitConfigs(const GitSnapshot& before, const Host& host);

}  // namespace mxc
