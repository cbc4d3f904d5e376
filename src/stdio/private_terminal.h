// A pseudo-terminal for the command, relayed to the caller's terminal, so that the command cannot push input
// (TIOCSTI) into the caller's shell.
//
//   Result<PrivateTerminal> terminal = PrivateTerminal::Open(undo);
//   request.controlling_terminal = terminal->Inner();
#pragma once

#include <termios.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "base/undo.h"
#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

// The caller's terminal and its modes.
struct CallersModes {
  struct Held {
    termios modes = {};  // the caller's
    bool raw = false;    // the terminal is in raw mode now
  };
  int terminal = -1;                // borrowed
  std::shared_ptr<Held> held = {};  // one for all processes that are forked afterwards
};
[[nodiscard]] std::optional<CallersModes> LookAtCallersModes();  // nothing: there is no terminal
// Restores the modes that PrivateTerminal has changed, unless somebody else has changed them since.
void TakeRawModesBack(const CallersModes& caller);

class PrivateTerminal {
 public:
  // With the caller's window size and modes. Puts the caller's terminal into raw mode while our job is in its
  // foreground; `undo` restores it. `multiplexer`: the /dev/ptmx of the devpts in which to open the terminal,
  // so that it has a name inside; if that fails, it is opened in the host's. Errors: kSetupFailed.
  [[nodiscard]] static Result<PrivateTerminal> Open(const std::optional<CallersModes>& caller, Undo& undo,
                                                    int multiplexer = -1);

  // For output alone, to the caller's terminal `shown`, borrowed, whose modes stay. The command's side cannot
  // be read and does no output processing: the caller's terminal does. Errors: kSetupFailed.
  [[nodiscard]] static Result<PrivateTerminal> OpenForOutput(int shown);

  [[nodiscard]] int Inner() const { return inner_.Get(); }  // the command's side
  [[nodiscard]] int Outer() const { return outer_.Get(); }  // ours, non-blocking
  // The inner side for each standard stream that is a terminal, -1 for the others. If the caller has no
  // terminal, the inner side for all three.
  [[nodiscard]] std::array<int, 3> StandardStreams() const;
  void CloseInner() { inner_.Reset(); }  // after the child has started: else its output would never end
  void CopyWindowSize() const;
  // The key that stops a job, as the caller has set it.
  [[nodiscard]] bool IsSuspend(char typed) const;
  // Restores the caller's terminal and stops our process group; returns when it is continued. Does nothing in
  // an orphaned process group, which nobody would continue, or if the caller ignores `number`.
  void Suspend(int number) const;
  // To be called after SIGCONT: puts the caller's terminal into raw mode again if our job is in the
  // foreground, and copies its size.
  void OnContinue() const;
  // Whether our job is in the foreground of the caller's terminal. A shell may change that without a signal.
  [[nodiscard]] bool Follow() const;
  // Whether the command has set its terminal's modes while our job was in the background, for which the
  // kernel would stop it (SIGTTOU). True once for each time that the job is continued.
  [[nodiscard]] bool WasSet() const;

 private:
  [[nodiscard]] bool OpenSides(int access, int multiplexer = -1);

  UniqueFd outer_;
  UniqueFd inner_;
  // State of a terminal whose input we read.
  struct Job {
    CallersModes caller = {};
    bool in_background = false;
    bool cooked = false;         // the command's terminal did not get the caller's modes
    termios in_foreground = {};  // modes of the command's terminal when our job was last in the foreground
    bool was_set = false;
  };

  int caller_ = -1;                // borrowed: the caller's terminal, -1 when there is none
  std::shared_ptr<Job> job_ = {};  // where we change its modes
};

// The outer side of a new pseudo-terminal, non-blocking, opened through a reference to the /dev/ptmx of a
// devpts; empty if that fails.
[[nodiscard]] UniqueFd OpenOuterSide(int borrowed_multiplexer);

// The command's side of a pseudo-terminal, opened for `access` (O_RDWR, O_WRONLY); empty: errno says why.
[[nodiscard]] UniqueFd OpenInnerSide(int borrowed_outer, int access);

// The bytes that tell a program that reads lines from the terminal that there is no more input.
[[nodiscard]] std::string EndOfInput(int borrowed_outer, char last_byte);

}  // namespace mxc
