// Passes what comes through a pipe on, filtered, on a thread of its own: pipes of Windows cannot be waited
// for together with processes.
#pragma once

#include <windows.h>

#include <atomic>
#include <memory>

#include "stdio/output_filter.h"
#include "win32/unique_handle_windows.h"

namespace mxc {

class OutputPump {
 public:
  // target: borrowed, for as long as this object. A target that is gone closes `source`, so that the command
  // meets a broken pipe as it would have met it without us.
  OutputPump(UniqueHandle source, HANDLE target, OutputFilter filter);
  OutputPump(const OutputPump&) = delete;
  OutputPump& operator=(const OutputPump&) = delete;
  ~OutputPump();

  // Waits until everything is written; nobody may have the other end of the pipe any more. `limit_ms`: then
  // what is left is given up, for a reader that does not read; 0: waits for as long as it takes.
  void Finish(DWORD limit_ms);
  [[nodiscard]] bool Truncated() const { return filter_.Truncated(); }

 private:
  static DWORD WINAPI Run(void* self);
  void Pump();
  bool Silent();
  bool Write(const std::string& text);

  UniqueHandle source_;
  HANDLE target_;
  OutputFilter filter_;
  UniqueHandle thread_ = {};
};

}  // namespace mxc
