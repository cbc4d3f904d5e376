// Connects the standard streams of a child to pipes and pseudo-terminals of ours, which the relay connects to
// the caller's own. A sandbox gets none of the caller's pipes, files, sockets and terminals: a process that
// has one can open it again through /proc/self/fd, in another direction or at another offset. Direct
// execution, which claims no isolation, gets the caller's streams themselves, unless its plan wants a private
// terminal, a cap or redaction.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/undo.h"
#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "stdio/private_terminal.h"
#include "stdio/standard_input.h"
#include "stdio/stream.h"

namespace mxc {

struct StdioSetup {
  std::array<int, 3> standard = {-1, -1, -1};  // for SpawnRequest, borrowed from the members below
  std::vector<UniqueFd> child_ends = {};
  std::optional<PrivateTerminal> terminal = {};  // the command's controlling terminal
  std::optional<PrivateTerminal> display = {};   // a terminal for output alone
  // By number. A private terminal's output is 1, and 2 where only standard error is a terminal.
  std::array<std::unique_ptr<Stream>, 3> streams = {};
  std::unique_ptr<StandardInput> input = {};  // empty: the caller's own, or a private terminal's

  [[nodiscard]] std::vector<Stream*> Outputs() const;
  [[nodiscard]] const PrivateTerminal* Shown() const;  // `terminal` or `display`; nullptr: neither is set
  // Drops the terminal's answers to queries of the command, which the caller's shell would take for input. To
  // be called before the caller's terminal is restored.
  void DiscardTerminalAnswers() const;
  void CloseChildEnds();  // after the child has started: else its output would never end
};

// The caller's terminal, if SetUpStdio will change its modes.
[[nodiscard]] std::optional<CallersModes> ModesToChange(const Plan& plan);
// `keeps_output`: standard output stays open when the command closes its own. `caller`: from ModesToChange;
// `undo` restores it. `multiplexer`: see PrivateTerminal::Open. Errors: kSetupFailed.
[[nodiscard]] Result<StdioSetup> SetUpStdio(const Plan& plan, bool keeps_output,
                                            const std::optional<CallersModes>& caller, Undo& undo,
                                            int multiplexer = -1);

// Whether the sandbox of `plan` may get the stream `fd` itself: opening it again gives no more rights, and
// the caller does not own it, or the sandbox opens its own in its place.
[[nodiscard]] bool MayPass(const Plan& plan, int fd);
// Linux: for a device that only its owner could misuse, by changing its mode for the whole host: opens it
// again on a read-only mount. Empty if `fd` is no such device, or mounting is not permitted.
[[nodiscard]] UniqueFd WithoutOwnership(int fd);
// Connects standard input, which may not pass, to a relay. Errors: kSetupFailed.
[[nodiscard]] Status ConnectInput(StdioSetup& stdio, Undo& undo);

// Opens /dev/null for a closed 0, 1 or 2: the next file to be opened would get that number and reach the
// command. To be called before anything is opened. Whether standard error was open.
[[nodiscard]] bool FillStandardStreams();
// Refuses a directory as a standard stream: from it the command could open files outside its mounts.
[[nodiscard]] Status CheckStandardStreams();

}  // namespace mxc
