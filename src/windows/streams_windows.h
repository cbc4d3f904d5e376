// The standard streams of a command: the caller's as they are, pipes whose output is filtered, or a console
// of its own.
#pragma once

#include <windows.h>

#include <array>
#include <memory>
#include <vector>

#include "mxc/error.h"
#include "mxc/plan.h"
#include "win32/unique_handle_windows.h"
#include "windows/console_windows.h"
#include "windows/output_pump_windows.h"

namespace mxc {

class CommandStreams {
 public:
  CommandStreams() = default;
  CommandStreams(const CommandStreams&) = delete;
  CommandStreams& operator=(const CommandStreams&) = delete;

  // A console of its own where `terminal` asks for one and all three streams are a console; pipes where
  // output is capped or redacted. Errors: kSetupFailed, kUnavailable.
  [[nodiscard]] Status Open(const Plan& plan, Terminal terminal);

  // nullptr: the command has the handles of List as streams.
  [[nodiscard]] HPCON Console() const { return console_ ? console_->Get() : nullptr; }
  // Input, output and errors, inheritable, and nothing else that the command inherits.
  [[nodiscard]] const std::vector<HANDLE>& List() const { return list_; }

  // The command has its ends now; ours of them are closed.
  void Started();
  // Every process of the command has ended: waits for the rest of its output. `limit_ms`: OutputPump::Finish.
  void Finish(DWORD limit_ms);
  [[nodiscard]] bool Truncated(std::size_t stream) const {
    return pumps_.at(stream) && pumps_.at(stream)->Truncated();
  }

 private:
  [[nodiscard]] Status OpenConsole(const Plan& plan);
  [[nodiscard]] Status OpenStream(std::size_t stream, const Plan& plan);

  std::array<UniqueHandle, 3> theirs_ = {};
  std::vector<HANDLE> list_ = {};
  std::unique_ptr<PrivateConsole> console_ = {};
  std::array<std::unique_ptr<OutputPump>, 3> pumps_ = {};
};

}  // namespace mxc
