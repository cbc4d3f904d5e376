// The list of users, /etc/passwd, and which directories are the caller's home.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// The name in the line for `uid` of a text in the format of /etc/passwd.
[[nodiscard]] std::optional<std::string> UserName(std::string_view passwd, std::uint32_t uid);

// The home directory of that user; "" if this machine's /etc/passwd does not list the user.
[[nodiscard]] std::string HomeOf(const Host& host, std::string_view user);

// HOME, canonical, even if it does not exist yet; "" if it is unset.
[[nodiscard]] std::string CanonicalHome(const Host& host, PathWalker& walker);

// The absolute paths of HOME and /etc/passwd, as written.
[[nodiscard]] std::vector<std::string> WrittenHomes(const Host& host);

// The same, canonical, each once, including those that do not exist yet. HOME may differ from call to call,
// and programs on the host use the home of /etc/passwd as well. Users of a directory service have HOME alone.
[[nodiscard]] std::vector<std::string> CallersHomes(const Host& host, PathWalker& walker);

// Symbolic links for the private HOME, so that each dot file that the policy grants below the caller's HOME
// has the same name there. At most 64; none at, above or below one of `files`.
[[nodiscard]] std::vector<HomeFile> LinksToGrants(const Host& host, PathWalker& walker, const RuleSet& rules,
                                                  const std::vector<PathLink>& links,
                                                  const std::vector<HomeFile>& files);

}  // namespace mxc
