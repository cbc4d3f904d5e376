// Reduces the memory of a process of ours that only waits.
#pragma once

namespace mxc {

// Releases the pages of the program's code and constants. They stay in the page cache, so a page that is
// needed again costs a minor fault and no read.
void ReleaseProgramPages();

}  // namespace mxc
