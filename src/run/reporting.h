// How one learns how the command of a launch ended, and with it which process holds its tree together.
#pragma once

#include "mxc/launch.h"

namespace mxc {

enum class Reporting {
  kExitStatus,  // of the child itself
  kStatusPipe,  // of the command inside; a child that ends without a report failed to set up
  kInit,        // of the command inside, from our engine's init, which is the child itself
  kContainer,   // the same, from an init that is the child's child
  kSupervisor,  // the same without a pid namespace: what outlives that process becomes ours
  kPersistent,  // of the command, from its supervisor in a persistent sandbox; no child of ours
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
