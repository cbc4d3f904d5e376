// What the standard streams of a child are connected to: pipes and pseudo-terminals of ours, which the relay
// connects to the caller's own. A sandbox gets none of the caller's pipes, files, sockets and terminals:
// whoever holds one can open it again through /proc/self/fd, in a direction or at an offset that it was not
// given. Direct execution, which claims no isolation, gets the caller's streams untouched, unless its plan
// wants a private terminal, a cap or redaction.
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
  std::optional<PrivateTerminal> display = {};   // one for output alone
  // By number. A private terminal's output is 1, and 2 where only standard error is a terminal.
  std::array<std::unique_ptr<Stream>, 3> streams = {};
  std::unique_ptr<StandardInput> input = {};  // empty: the caller's own, or a private terminal's

  [[nodiscard]] std::vector<Stream*> Outputs() const;
  [[nodiscard]] const PrivateTerminal* Shown() const;  // whichever there is
  // Before the caller's terminal is as it was: answers to what the command has asked it are no input of the
  // caller's.
  void DiscardTerminalAnswers() const;
  void CloseChildEnds();  // once the child has them: the end of its output can be seen only then
};

// The caller's terminal, where SetUpStdio will change its modes.
[[nodiscard]] std::optional<CallersModes> ModesToChange(const Plan& plan);
// `keeps_output`: standard output stays open when the command has closed its own. `caller`: of ModesToChange;
// `undo` restores it. `multiplexer`: as PrivateTerminal::Open's. Errors: kSetupFailed.
[[nodiscard]] Result<StdioSetup> SetUpStdio(const Plan& plan, bool keeps_output,
                                            const std::optional<CallersModes>& caller, Undo& undo,
                                            int multiplexer = -1);

// Whether the stream `fd` itself may be handed to the sandbox of `plan`: opening it again gives nothing, and
// the caller does not own it, or the sandbox opens its own in its place.
[[nodiscard]] bool MayPass(const Plan& plan, int fd);
// In place of a stream that would be harmless but for its owner, who could change its mode for the whole
// host: the same, opened on a read-only mount. Empty: it is no such stream, or we may not mount. Linux.
[[nodiscard]] UniqueFd WithoutOwnership(int fd);
// Connects standard input, which may not pass, to a relay. Errors: kSetupFailed.
[[nodiscard]] Status ConnectInput(StdioSetup& stdio, Undo& undo);

// A closed 0, 1 or 2 would be given to the next file that is opened, and so to the command: fills it. Before
// anything is opened.
void FillStandardStreams();
// A directory among them would reach past the mounts: from it the command could open what is not granted.
[[nodiscard]] Status CheckStandardStreams();

}  // namespace mxc
