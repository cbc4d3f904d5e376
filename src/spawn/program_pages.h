// Which pages of the program's own file a process of ours has mapped.
#pragma once

namespace mxc {

// Releases the pages of the program's code and constants. They stay in the page cache, so a page that is
// needed again costs a minor fault and no read.
void ReleaseProgramPages();

}  // namespace mxc
