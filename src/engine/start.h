// The launcher's side of a sandbox's first process, however that came to be.
#pragma once

#include <functional>

#include "base/unique_fd.h"
#include "engine/engine.h"
#include "engine/program.h"

namespace mxc::engine {

struct ReportPipe {
  UniqueFd reader = {};
  UniqueFd writer = {};  // above the standard streams, which the child may connect to something else

  [[nodiscard]] static Result<ReportPipe> Make();
};

// The first report says whether the command runs. A sandbox that failed is reaped here; `ended_early` gets
// the status of one that reported nothing.
[[nodiscard]] Result<SandboxProcess> AwaitStart(SandboxProcess process, const Streams& streams,
                                                const Program& program,
                                                const std::function<Error(int)>& ended_early);

}  // namespace mxc::engine
