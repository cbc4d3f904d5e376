// A pseudo-terminal for the command, relayed to the caller's: nothing the command does with its terminal can
// push input into the caller's shell.
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

// The caller's terminal and what we do to it.
struct CallersModes {
  struct Held {
    termios modes = {};  // of the caller's
    bool raw = false;    // in place of these
  };
  int terminal = -1;                // borrowed
  std::shared_ptr<Held> held = {};  // one for all processes that are forked afterwards
};
[[nodiscard]] std::optional<CallersModes> LookAtCallersModes();  // nothing: there is no terminal
// Takes back what PrivateTerminal has done to it, unless somebody else has changed it since.
void TakeRawModesBack(const CallersModes& caller);

class PrivateTerminal {
 public:
  // With the caller's window size and modes. Puts the caller's terminal into raw mode while it is ours: where
  // another job is in the foreground, it stays as it is. `undo` restores it. `multiplexer`: the terminal is
  // of that devpts, and has its name where that is mounted; where it cannot be, it is this host's. Errors:
  // kSetupFailed.
  [[nodiscard]] static Result<PrivateTerminal> Open(const std::optional<CallersModes>& caller, Undo& undo,
                                                    int multiplexer = -1);

  // For output to the caller's terminal `shown`, borrowed, which stays as it is: the command's side cannot be
  // read, and leaves the processing of output to the caller's. Errors: kSetupFailed.
  [[nodiscard]] static Result<PrivateTerminal> OpenForOutput(int shown);

  [[nodiscard]] int Inner() const { return inner_.Get(); }  // the command's side
  [[nodiscard]] int Outer() const { return outer_.Get(); }  // ours, non-blocking
  // The inner side in place of each standard stream that is a terminal; the others stay as they are.
  [[nodiscard]] std::array<int, 3> StandardStreams() const;
  void CloseInner() { inner_.Reset(); }  // once the child has it: the end of output can only be seen then
  void CopyWindowSize() const;
  // The key that stops a job, as the caller has set it.
  [[nodiscard]] bool IsSuspend(char typed) const;
  // Stops our process group, with the caller's terminal as it was; returns when it is continued. Does nothing
  // in a group that nobody would continue (an orphaned one), or where the caller ignores `number`.
  void Suspend(int number) const;
  // We were continued: the caller's terminal, if it is ours, is raw again, and may have another size.
  void OnContinue() const;
  // Looks whether we are in the foreground of the caller's terminal, of which a shell need not tell us.
  // False: what is typed there is for another job.
  [[nodiscard]] bool Follow() const;
  // The command has set its terminal, for which a program in the background is stopped; once for each time
  // that we are continued.
  [[nodiscard]] bool WasSet() const;

 private:
  [[nodiscard]] bool OpenSides(int access, int multiplexer = -1);

  UniqueFd outer_;
  UniqueFd inner_;
  // Of one whose input we read.
  struct Job {
    CallersModes caller = {};
    bool in_background = false;
    bool cooked = false;         // the command was given modes that were not the caller's
    termios in_foreground = {};  // of the command's, when we were there for the last time
    bool was_set = false;
  };

  int caller_ = -1;                // borrowed: the caller's terminal, -1 when there is none
  std::shared_ptr<Job> job_ = {};  // where we change its modes
};

// Our side of a new pseudo-terminal, non-blocking, by a reference to the /dev/ptmx of a devpts; empty: it is
// none, or cannot be opened.
[[nodiscard]] UniqueFd OpenOuterSide(int borrowed_multiplexer);

// The command's side of a pseudo-terminal, opened for `access` (O_RDWR, O_WRONLY); empty: errno says why.
[[nodiscard]] UniqueFd OpenInnerSide(int borrowed_outer, int access);

// What tells a program that reads lines from the terminal that there is no more input.
[[nodiscard]] std::string EndOfInput(int borrowed_outer, char last_byte);

}  // namespace mxc
