// What --explain and --dry-run say of a request, instead of running it.
#pragma once

#include <cstdint>

#include "cli.h"
#include "config/config.h"
#include "mxc/error.h"
#include "plan_run.h"
#include "report/log.h"

namespace mxc {

// Both return the exit status.
[[nodiscard]] int ExplainPlan(const Result<Prepared>& prepared, const Options& options);
[[nodiscard]] int DryRun(const Result<Prepared>& prepared, const Options& options, Log& log,
                         std::int64_t elapsed_ms);

// The request as --debug tells it.
void LogRequest(const Config& config, Log& log);

}  // namespace mxc
