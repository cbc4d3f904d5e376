// The launcher's side of a sandbox's first process, however that was created.
#pragma once

#include <functional>

#include "base/unique_fd.h"
#include "engine/engine.h"
#include "engine/program.h"

namespace mxc::engine {

struct ReportPipe {
  UniqueFd reader = {};
  UniqueFd writer = {};  // above 2, because the child may replace its standard streams

  [[nodiscard]] static Result<ReportPipe> Make();
};

// Waits for the first report, which says whether the command runs. Reaps a sandbox that failed; `ended_early`
// makes the error of one that ended without a report, from its status.
[[nodiscard]] Result<SandboxProcess> AwaitStart(SandboxProcess process, const Streams& streams,
                                                const Program& program,
                                                const std::function<Error(int)>& ended_early);

}  // namespace mxc::engine
