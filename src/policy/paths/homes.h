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

// Of the line for `uid` in a text of the form of /etc/passwd.
[[nodiscard]] std::optional<std::string> UserName(std::string_view passwd, std::uint32_t uid);

// Of the user of that name; "" where this machine's own list does not have one.
[[nodiscard]] std::string HomeOf(const Host& host, std::string_view user);

// What HOME says, without links, also when it is to be made yet; "" when it says nothing.
[[nodiscard]] std::string CanonicalHome(const Host& host, PathWalker& walker);

// What HOME and the list of users say, as written, where that is an absolute path.
[[nodiscard]] std::vector<std::string> WrittenHomes(const Host& host);

// What HOME and the list of users say, without links, each once, also those that are to be made yet. The
// variable is the caller's for one call; programs on the host obey the files of the other, too. Users whom
// only a directory service knows have HOME alone.
[[nodiscard]] std::vector<std::string> CallersHomes(const Host& host, PathWalker& walker);

// Symbolic links for the private HOME: each dot file that the policy grants below the caller's HOME is found
// there under the same name. At most 64; none in place of one of `files`, above it or below it.
[[nodiscard]] std::vector<HomeFile> LinksToGrants(const Host& host, PathWalker& walker, const RuleSet& rules,
                                                  const std::vector<PathLink>& links,
                                                  const std::vector<HomeFile>& files);

}  // namespace mxc
