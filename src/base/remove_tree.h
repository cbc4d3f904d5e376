// Removes a directory with everything in it, however deep and whatever its modes, with system calls alone:
// no allocation, no recursion, three descriptors.
#pragma once

namespace mxc {

// Only for a directory of ours in which nobody works any more. What the kernel does not let go of stays. No
// link is followed, nor is the mode of what it leads to changed.
void RemoveTree(const char* path);

}  // namespace mxc
