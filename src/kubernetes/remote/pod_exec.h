// One exec in a pod, from the program's start to the ends of its streams: the caller's streams are passed on,
// the lease of the claim is renewed, time and signals are kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/claim.h"
#include "kubernetes/kubectl.h"
#include "kubernetes/pod_stream.h"
#include "mxc/error.h"
#include "run/signals.h"

namespace mxc::kubernetes {

// Everything is borrowed.
struct PodExec {
  const Kubectl& kubectl;
  Claim& claim;
  SignalScope& signals;
  const std::vector<std::string>& arguments;  // of kubectl
  const std::string& token;
  const std::string& input;  // what goes before the caller's own
  std::uint64_t ends_at_ms = 0;
};

struct PodExecEnd {
  bool complete = false;  // both streams came to their marks
  bool timed_out = false;
  int interrupted_by = 0;
  bool reader_gone = false;  // nobody reads standard output any more
  int lost = 0;              // the errno of a write of ours that failed; 0: none
  std::string report = {};   // behind the mark: status lines of the mxc-exec inside
};

// Errors: kSetupFailed, kubectl could not be started.
[[nodiscard]] Result<PodExecEnd> RunPodExec(const PodExec& exec);

}  // namespace mxc::kubernetes
