// A pseudo-terminal for the command, relayed to the caller's: nothing the command does with its terminal can
// push input into the caller's shell.
//
//   Result<PrivateTerminal> terminal = PrivateTerminal::Open(undo);
//   request.controlling_terminal = terminal->Inner();
#pragma once

#include <termios.h>

#include <array>
#include <optional>
#include <string>

#include "base/undo.h"
#include "base/unique_fd.h"
#include "mxc/error.h"

namespace mxc {

// The caller's terminal and how it is before there is a private one.
struct CallersModes {
  int terminal = -1;  // borrowed
  termios modes = {};
};
[[nodiscard]] std::optional<CallersModes> LookAtCallersModes();  // nothing: there is no terminal
// Takes back what PrivateTerminal::Open has done to it, unless somebody else has changed it since.
void TakeRawModesBack(const CallersModes& before);

class PrivateTerminal {
 public:
  // With the caller's window size and modes. Puts the caller's terminal into raw mode; `undo` restores it.
  // Errors: kSetupFailed.
  [[nodiscard]] static Result<PrivateTerminal> Open(Undo& undo);

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
  // in a group that nobody would continue (an orphaned one), or where the caller ignores SIGTSTP.
  void Suspend() const;
  // We were continued: the caller's terminal is raw again, and may have another size. In the background the
  // kernel stops us for that; where SIGTTOU is ignored, the terminal is left alone there.
  void OnContinue() const;

 private:
  [[nodiscard]] bool OpenSides(int access);

  UniqueFd outer_;
  UniqueFd inner_;
  int caller_ = -1;                          // borrowed: the caller's terminal, -1 when there is none
  std::optional<CallersModes> before_ = {};  // where we have changed them
};

// The command's side of a pseudo-terminal, opened for `access` (O_RDWR, O_WRONLY); empty: errno says why.
[[nodiscard]] UniqueFd OpenInnerSide(int borrowed_outer, int access);

// What tells a program that reads lines from the terminal that there is no more input.
[[nodiscard]] std::string EndOfInput(int borrowed_outer, char last_byte);

}  // namespace mxc
