// Who reports the command's exit status, which also says which process holds its tree together.
#pragma once

#include "mxc/launch.h"

namespace mxc {

enum class Reporting {
  kExitStatus,  // the kernel: the command is the launcher's child
  kStatusPipe,  // bubblewrap, on its status pipe; if the child ends without a report, its set-up failed
  kInit,        // our engine's init, which is the launcher's child
  kContainer,   // our engine's init, which is a grandchild
  kSupervisor,  // our engine's init without a pid namespace; the launcher adopts what outlives it
  kPersistent,  // the supervisor in a persistent sandbox, which is no child of the launcher
};

[[nodiscard]] inline Reporting ReportingOf(const DirectLaunch&) { return Reporting::kExitStatus; }
[[nodiscard]] inline Reporting ReportingOf(const BubblewrapLaunch&) { return Reporting::kStatusPipe; }
[[nodiscard]] inline Reporting ReportingOf(const LxcLaunch&) { return Reporting::kContainer; }
[[nodiscard]] inline Reporting ReportingOf(const LandlockLaunch&) { return Reporting::kSupervisor; }
[[nodiscard]] inline Reporting ReportingOf(const PersistentLaunch&) { return Reporting::kPersistent; }
template <class OtherLaunch>
[[nodiscard]] Reporting ReportingOf(const OtherLaunch&) {
  return Reporting::kInit;
}

}  // namespace mxc
