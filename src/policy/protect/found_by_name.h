// Files that the host runs by name: from directories of the caller's PATH, and those that command lines of
// configurations may name. They are not held, because installing packages fills such directories and a word
// may name any file. They are compared when the run has ended, and changes are reported.
#pragma once

#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/protect/git_review.h"
#include "policy/protect/protect_git.h"

namespace mxc {

// Errors: kConflict for a variable that names the caller's configuration by a relative path: git and other
// programs would read it in the directory in which they are called.
[[nodiscard]] Status CheckVariables(const Protector& protector);

// Errors: kConflict for a directory whose path leads through a link of /proc, and so depends on the process.
[[nodiscard]] Status CheckSearched(const GitProtection& git, const Protector& protector);

// Notes the files that the command could create or change, also names of presets that are not held and
// matches of `patterns`. Needs complete rules.
void NoteFoundByName(const GitProtection& git, const Protector& protector,
                     const std::vector<std::string>& patterns, GitSnapshot& snapshot);

// Kind::kFoundByName. `hooks`: of GitPlaces::StrayHooks, whose new hooks are reported.
[[nodiscard]] std::vector<GitChange> ReviewFoundByName(const GitSnapshot& before, const Host& host,
                                                       const std::vector<std::string>& hooks = {});

}  // namespace mxc
