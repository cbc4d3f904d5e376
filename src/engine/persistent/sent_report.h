// Reports over a socket, with the process that sent them.
#pragma once

#include <sys/types.h>

#include <optional>

#include "engine/report.h"
#include "mxc/error.h"

namespace mxc::engine {

struct SentReport {
  Report report = {};
  pid_t sender = -1;  // translated by the kernel into this pid namespace
};

// To be called before the first report is sent. Errors: kSetupFailed.
[[nodiscard]] Status ExpectReports(int socket);
// Waits for a report. Absent: the other end is closed, or the message is no report.
[[nodiscard]] std::optional<SentReport> ReceiveReport(int socket);

}  // namespace mxc::engine
