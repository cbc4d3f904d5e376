// The configuration for the mxc-exec in a pod (mxc/kubernetes/pod_run.h), with the command of one exec.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mxc/error.h"
#include "mxc/secret.h"

namespace mxc::kubernetes {

// What of the document's command becomes another.
struct PodCommand {
  std::vector<std::string> argv = {};  // one of these two
  std::string command_line = {};
  std::string cwd = {};                    // empty: the document's
  std::vector<Variable> environment = {};  // on top of the document's
  bool exact = false;                      // ... or in its place, also of what the pod has
  std::uint32_t timeout_ms = 0;
};

// Errors: kSetupFailed: `document` is none of ours.
[[nodiscard]] Result<std::string> WithCommand(const std::string& document, const PodCommand& command);

}  // namespace mxc::kubernetes
