// Files that programs of the host are found as by their names: in directories of the caller's PATH, and as
// far as a command line of a configuration may name them. They are not held, because every installation of
// packages fills such a directory, and a word may be anything. They are compared when the run has ended, and
// told.
#pragma once

#include <vector>

#include "mxc/git_snapshot.h"
#include "mxc/host.h"
#include "policy/protect/git_review.h"
#include "policy/protect/protect_git.h"

namespace mxc {

// Errors: kConflict, for a variable that has a relative path where configurations of the caller's stand: git
// and the like obey what stands there in the directory where they are called.
[[nodiscard]] Status CheckVariables(const Protector& protector);

// Errors: kConflict, for a directory that each process finds elsewhere, by a link of /proc.
[[nodiscard]] Status CheckSearched(const GitProtection& git, const Protector& protector);

// Those that the command could make or change, by now that all rules are known; also names that presets know
// and nothing holds, and what `patterns` match.
void NoteFoundByName(const GitProtection& git, const Protector& protector,
                     const std::vector<std::string>& patterns, GitSnapshot& snapshot);

// Kind::kFoundByName. `hooks`: of GitPlaces::StrayHooks, where hooks that are new are told.
[[nodiscard]] std::vector<GitChange> ReviewFoundByName(const GitSnapshot& before, const Host& host,
                                                       const std::vector<std::string>& hooks = {});

}  // namespace mxc
