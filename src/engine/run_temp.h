// The directory that a run under Landlock alone has for temporary files. Init locks it as long as it lives;
// one that nobody has locked is what a killed run left.
#pragma once

#include <cstddef>
#include <string>

#include "base/runtime_directory.h"

namespace mxc::engine {

// A path that nobody can have made before, in a directory of ours that every run denies.
[[nodiscard]] std::string ChooseRunTemp(const RuntimeDirectory& place);
// Makes it, locked as long as the descriptor is open. -1: errno. System calls only.
[[nodiscard]] int MakeRunTemp(const char* path);
// Removes those of the caller's whose run has ended; returns how many. Links, what belongs to others, and
// what has no name of ChooseRunTemp stay.
std::size_t SweepRunTemps(const RuntimeDirectory& place);

}  // namespace mxc::engine
