// Reports that come over a socket, with the process that sent them.
#pragma once

#include <sys/types.h>

#include <optional>

#include "engine/report.h"
#include "mxc/error.h"

namespace mxc::engine {

struct SentReport {
  Report report = {};
  pid_t sender = -1;  // seen from here: the kernel translates it
};

// Before the first of them is sent. Errors: kSetupFailed.
[[nodiscard]] Status ExpectReports(int socket);
// Waits. Nothing: the other end is closed, or what came is none.
[[nodiscard]] std::optional<SentReport> ReceiveReport(int socket);

}  // namespace mxc::engine
