// A list of the sandbox's host resources beside its socket while it runs, for the case that its daemon and
// its cleanup process are both killed. A later call removes what it lists.
#pragma once

#include <sys/types.h>

#include <string>

#include "cleanup/cleanup_process.h"
#include "mxc/error.h"
#include "persistent/directory.h"

namespace mxc::session {

// Replaces the record atomically; without host resources there is none. `init` is the sandbox's process 1, 0
// as long as there is none. Errors: kSetupFailed.
[[nodiscard]] Status WriteRecoveryRecord(const StateDirectory& directory, const std::string& name,
                                         const HostChanges& changes, pid_t init);
// Removes the host resources of a sandbox whose daemon is dead, and the record. Waits until its process 1 has
// ended, because no name may become free before. Anybody who can write in the directory may have written the
// record, so only objects with our modes and names are removed. A record that cannot be read is kept under
// another name, and the user is told (standard error).
void CleanUpByRecord(const StateDirectory& directory, const std::string& name);
// The same for all sandboxes in `directory` without a daemon; their names stay.
void CleanUpByAllRecords(const StateDirectory& directory);

}  // namespace mxc::session
