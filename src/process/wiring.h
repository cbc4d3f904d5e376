// What the standard streams of a child are connected to: the caller's own, untouched, unless the plan wants a
// private terminal, a cap or redaction.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "base/undo.h"
#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/plan.h"
#include "process/private_terminal.h"
#include "process/stream.h"

namespace mxc {

struct Wiring {
  std::array<int, 3> standard = {-1, -1, -1};  // for LaunchRequest, borrowed from the members below
  std::vector<UniqueFd> child_ends = {};
  std::optional<PrivateTerminal> terminal = {};
  std::array<std::unique_ptr<Stream>, 3> streams = {};  // by number; a private terminal's output is 1

  [[nodiscard]] std::vector<Stream*> Outputs() const;
  void CloseChildEnds();  // once the child has them: the end of its output can be seen only then
};

// `undo` restores the caller's terminal. Errors: kSetupFailed.
[[nodiscard]] Result<Wiring> Wire(const Plan& plan, Undo& undo);

// A closed 0, 1 or 2 would be given to the next file that is opened, and so to the command: fills it.
void FillStandardStreams();
// A directory among them would reach past the mounts: from it the command could open what is not granted.
[[nodiscard]] Status CheckStandardStreams();

}  // namespace mxc
