// What the sandbox's init tells the launcher, through a pipe: one fixed-size record per event.
#pragma once

#include <array>
#include <cstdint>

#include "mxc/error.h"

namespace mxc::engine {

struct Program;

// A step of the set-up, in the order they happen. report.cc holds the words and the remedies.
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
  kStopped,  // by a signal, with a private terminal: it waits for a SIGCONT that is sent to init
  kEnded,    // `number` is its status, as wait(2) gives it, `node` the MiB of a private /tmp that is full, or
             // -1, `left` what it left
};

// The name of a process (PR_SET_NAME), which is the command's to choose.
using ProcessName = std::array<char, 16>;

struct Report {
  Event event = Event::kFailed;
  Step step = Step::kCreate;
  std::int32_t number = 0;
  std::int32_t node = -1;
  ProcessName left = {};  // of a process that it left in its session; "": none
};

// The error a failed step is to the user.
[[nodiscard]] Error StepError(const Report& report, const Program& program);

}  // namespace mxc::engine
