// Signals as bytes that can be polled for.
#pragma once

#include "base/pipe.h"
#include "mxc/error.h"

namespace mxc {

// CHLD, HUP, INT, TERM and WINCH wake whoever polls Descriptor(); the dispositions are put back at the end.
// One at a time in a process.
class MacSignals {
 public:
  MacSignals() = default;
  MacSignals(const MacSignals&) = delete;
  MacSignals& operator=(const MacSignals&) = delete;
  ~MacSignals();

  [[nodiscard]] Status Begin();
  [[nodiscard]] int Descriptor() const { return pipe_.reading.Get(); }
  // Takes what has arrived. `resized` says whether the window was.
  void Take(bool& resized);
  // HUP, INT or TERM, the first that came; 0: none.
  [[nodiscard]] int Ending() const { return ending_; }

 private:
  Pipe pipe_ = {};
  int ending_ = 0;
};

}  // namespace mxc
