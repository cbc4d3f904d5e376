// The next call of a user puts back what killed runs of the same user left, and other tests make such calls
// beside this one.
#pragma once

#include <sys/types.h>

namespace mxc::test {

// From here on this process, and what it starts, has the directory for the records of `owner` to itself: in a
// mount namespace of its own. Only root can do that; anybody else is alone.
void KeepRecordsApart(uid_t owner);

}  // namespace mxc::test
