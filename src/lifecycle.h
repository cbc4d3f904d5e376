// Requests of the lifecycle: a persistent sandbox between calls.
#pragma once

#include <string>

#include "cli.h"
#include "config/config.h"
#include "mxc/error.h"
#include "mxc/host.h"
#include "read_request.h"

namespace mxc {

// An error to be told before anything is known of the sandbox that a request is about. Values of its
// variables are hidden from now on; where nobody says what they are, this is the error that says so, and
// quotes nothing.
[[nodiscard]] Error Tellable(const std::string& sandbox_id, Error error);

// Answers on standard output: one JSON object on one line, or what the command of an exec prints. What is
// wrong with the configuration is Tellable. Returns the exit status: the command's, 0, or 1 for a request
// that was refused.
[[nodiscard]] int RunPhase(const Request& request, Options options, const Host& host);

// The verbs `start`, `exec` and `stop`: what goes wrong is told as of a run. Returns the exit status.
[[nodiscard]] int RunVerb(const Options& options, const Host& host);

// --list and --reap. Return the exit status. For people a table, else one JSON array on one line.
[[nodiscard]] int PrintSandboxes(bool for_people);
[[nodiscard]] int PrintReaped();

// Ends what bears this name: the sandbox of an identifier, or the caller's container of a run with this
// `containerId`. False: there is none.
[[nodiscard]] Result<bool> EndContainer(const std::string& name, const Host& host);

}  // namespace mxc
