// Memory of a process of ours that only waits.
#pragma once

namespace mxc {

// Lets go of the pages of the program's own code and constants. They are the page cache's: what is needed
// again comes back with a minor fault, without any reading.
void ReleaseProgramPages();

}  // namespace mxc
