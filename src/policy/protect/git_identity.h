// The caller's identity in git, for the command's own ~/.gitconfig: user.name, user.email,
// init.defaultBranch; and the filters of git-lfs, as it installs them. Nothing else of the caller's
// configuration is passed in: it names programs, credentials and paths.
#pragma once

#include <functional>
#include <vector>

#include "mxc/host.h"
#include "mxc/policy.h"
#include "policy/paths/paths.h"
#include "policy/paths/rules.h"

namespace mxc {

// Whether the command may get the contents of a file; `of_git`: one that git reads by itself.
using MayHandIn = std::function<bool(const Walked& file, bool of_git)>;

// ".gitconfig", and a file for each conditional include of the caller's that holds one of these keys: git
// inside decides on the condition. In the repository's own configuration each key wins over these. Every
// directory that is visible inside was granted, so git there trusts each repository. Also a list of patterns
// that git there ignores, unless the repository's own configuration names another (core.excludesFile): the
// caller's patterns, and paths that the rules deny or hold in work trees.
[[nodiscard]] std::vector<HomeFile> GitIdentity(const Host& host, PathWalker& walker, const RuleSet& rules,
                                                const MayHandIn& may_hand_in);

}  // namespace mxc
