// Ctrl-C, Ctrl-Break and the end of the console or the session, while a run goes on.
#pragma once

#include <windows.h>

namespace mxc {

// One at a time, made before anything that has to be undone. Without it the first of these would end us, and
// what the run has changed would stay.
class Interrupt {
 public:
  static constexpr DWORD kGraceMs = 2000;  // for the command to end by itself

  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  [[nodiscard]] HANDLE Event() const;
  // As POSIX counts: SIGINT for Ctrl-C, SIGTERM for the others.
  [[nodiscard]] int Number() const;
};

}  // namespace mxc
