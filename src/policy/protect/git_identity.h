// Who the caller is to git, for the command's own ~/.gitconfig: user.name, user.email, init.defaultBranch;
// and the filters of git-lfs, as that installs them. Nothing else of the caller's configuration is handed in:
// it names programs, credentials and places.
#pragma once

#include <functional>
#include <vector>

#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// Whether the command may get what stands in a file; `of_git`: one that git itself reads unasked.
using MayHandIn = std::function<bool(const Walked& file, bool of_git)>;

// ".gitconfig", and a file for each conditional include of the caller's that holds one of these keys: git
// inside decides on the condition. In the repository's own configuration each key wins over these. Every
// directory that is visible inside was granted, so git takes each repository for safe there.
// Also a list of what git there ignores, unless the repository's own configuration has another one
// (core.excludesFile): the patterns of the caller's, and what the rules deny or hold in work trees.
[[nodiscard]] std::vector<HomeFile> GitIdentity(const Host& host, PathWalker& walker, const RuleSet& rules,
                                                const MayHandIn& may_hand_in);

}  // namespace mxc
