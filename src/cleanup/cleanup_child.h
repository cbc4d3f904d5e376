// The cleanup process itself: what CleanupProcess::Start has forked, and how the two talk. Linux.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "cgroup/control_groups.h"
#include "cleanup/cleanup_process.h"
#include "cleanup/config_record.h"
#include "cleanup/guarded_paths.h"

namespace mxc {

// A killed sandbox ends within milliseconds. If it does not, guarded paths are restored this often, and the
// launcher waits this long for the report.
inline constexpr int kCleanupWaitMs = 10000;

// Of Admit's refusal: message and hint, a line each.
inline constexpr std::size_t kMaxRefusalBytes = 4096;

// The launcher sends the number of a process that has to end first, or one of these.
inline constexpr pid_t kKeepConfigs = 0;    // the launcher has judged what the command left
inline constexpr pid_t kRestorePaths = -1;  // restore the guarded paths and report them

// The cleanup process's answer: everything was created, or the errno of a failure.
struct CleanupAnswer {
  enum class Part { kNone, kPlaceholder, kGroup, kConfig, kPath };
  Part failed = Part::kNone;
  std::size_t index = 0;  // of it in HostChanges or GuardedPaths, but for a group
  GroupFailure group = {};
  int error = 0;
};

// Whether a control group stands in a scope of systemd's.
[[nodiscard]] bool InScope(const HostChanges& changes);

// `pipe` and `admission` are the process's own ends of the sockets, `parent` is the launcher.
[[noreturn]] void RunCleanupProcess(int pipe, int admission, const HostChanges& changes, RunRecords& records,
                                    GuardedPaths& paths, pid_t parent);

}  // namespace mxc
