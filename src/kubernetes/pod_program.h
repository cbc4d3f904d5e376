// The mxc-exec in a pod, as its launcher finds it, starts it and ends it.
#pragma once

#include <string>
#include <vector>

#include "kubernetes/claim.h"
#include "kubernetes/kubectl.h"
#include "mxc/error.h"

namespace mxc::kubernetes {

// kubectl's arguments for a command in the pod.
[[nodiscard]] std::vector<std::string> ExecIn(const BoundPod& pod, std::vector<std::string> command);

// Where the program is in the pod: in its image, if that is this very version, else sent into a directory of
// /tmp of that `name`. Errors: kUnavailable; kInternal with the message "" when the wait was interrupted.
[[nodiscard]] Result<std::string> ProgramIn(const Kubectl& kubectl, const BoundPod& pod,
                                            const std::string& name);

// Ends what runs in the pod under a name that begins with `name` (kInPodFlag), and waits for that.
[[nodiscard]] Status EndInPod(const Kubectl& kubectl, const BoundPod& pod, const std::string& program,
                              const std::string& name);

}  // namespace mxc::kubernetes
