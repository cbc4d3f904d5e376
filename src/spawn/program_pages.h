// Which pages of the program's own file a process of ours has mapped.
#pragma once

namespace mxc {

// Releases the pages of the program's code and constants. They stay in the page cache, so a page that is
// needed again costs a minor fault and no read.
void ReleaseProgramPages();

// Maps all of the program's code at once. A launch calls functions all over it, and would take a page fault
// for each 64 KiB. Worth 4 % of the processor time of a launch, measured by tests/bench/paired.py; nothing
// where the kernel is older than Linux 5.14.
void MapProgramCode();

}  // namespace mxc
