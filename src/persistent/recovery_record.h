// What a sandbox has on the host, written beside its socket while it stands: for whoever finds that its
// daemon and its cleanup process have both been killed. Of nothing else there is a record.
#pragma once

#include <sys/types.h>

#include <string>

#include "cleanup/cleanup_process.h"
#include "mxc/error.h"
#include "persistent/directory.h"

namespace mxc::session {

// Replaces what was written before, at one stroke; where nothing is guarded there is no record. `init` is the
// sandbox's process 1, 0 as long as there is none. Errors: kSetupFailed.
[[nodiscard]] Status WriteRecoveryRecord(const StateDirectory& directory, const std::string& name,
                                         const HostChanges& changes, pid_t init);
// Removes what is left of a sandbox whose daemon is dead, and the record. Waits until its process 1 has
// ended: no name may become free before that. Who wrote the record may have been anybody who can write in the
// directory, so it is followed only to what bears our marks.
void CleanUpByRecord(const StateDirectory& directory, const std::string& name);
// The same for all in `directory` that nobody holds any more; their names stay.
void CleanUpByAllRecords(const StateDirectory& directory);

}  // namespace mxc::session
