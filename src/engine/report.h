// The reports of the sandbox's init to the launcher, through a pipe: one fixed-size record per event.
#pragma once

#include <array>
#include <cstdint>

#include "mxc/error.h"

namespace mxc::engine {

struct Program;

// The steps of the set-up, in their order: a failed one names itself. report.cc has the texts and remedies.
enum class Step : std::int32_t {
  kCreate,
  kTie,
  kEnterGroup,
  kContainer,
  kMapIdentity,
  kNetwork,
  kSteer,
  kRoutes,
  kGatewaySockets,
  kGateway,
  kHostname,
  kRoot,
  kOpenSource,
  kReplaced,
  kCloneMounts,
  kProtectMounts,
  kMakeTarget,
  kOpenTarget,
  kAttach,
  kTmpfs,
  kProc,
  kDevice,
  kTerminals,
  kLink,
  kSeal,
  kPivot,
  kForgetHost,
  kLockMounts,
  kSignals,
  kDescriptors,
  kStreams,
  kCapabilities,
  kPrivileges,
  kLandlock,
  kLimits,
  kSeccomp,
  kWatch,
  kSupervise,
  kTemp,
  kSpawn,
  kSession,
  kTerminal,
  kDirectory,
  kExecute,
};

enum class Event : std::int32_t {
  kFailed,   // `step` with errno `number`, at mount `node` (or -1)
  kStarted,  // the command has been executed
  kStopped,  // a signal has stopped the command, which has a private terminal; SIGCONT to init continues it
  kEnded,    // `number` is the status as of wait(2), `node` the MiB of a full private /tmp or -1, `left` the
             // name of a process that the command left
};

// The name of a process (PR_SET_NAME). The command can choose it: untrusted.
using ProcessName = std::array<char, 16>;

struct Report {
  Event event = Event::kFailed;
  Step step = Step::kCreate;
  std::int32_t number = 0;
  std::int32_t node = -1;
  ProcessName left = {};  // name of a process that it left in its session; "": none
};

// The error that a failed step is to the user.
[[nodiscard]] Error StepError(const Report& report, const Program& program);

}  // namespace mxc::engine
