// Whether somebody asks this process to end, while the signals that would end it are blocked.
#pragma once

namespace mxc {

// SIGHUP, SIGINT, SIGQUIT or SIGTERM waits; it stays there.
[[nodiscard]] bool IsEndAsked();

}  // namespace mxc
