// One process of mxc-exec, and what connects us to it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/unique_fd.h"
#include "ffi/mutex.h"
#include "ffi/text.h"

namespace mxc::ffi {

enum class Streams {
  kCaptured,   // no input; output and errors to us
  kPipes,      // all three
  kTerminal,   // input and output, behind which there is a terminal
  kInherited,  // the caller's own
};

struct Start {
  std::string_view document = {};  // empty: the program is asked something, by its flags
  Streams streams = Streams::kCaptured;
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  std::initializer_list<const char*> flags = {};  // nullptr: none
};

class Process {
 public:
  Process() = default;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  // Kills it, and with it what it has started, if it still runs.
  ~Process();

  [[nodiscard]] Failure Begin(const Start& start);

  [[nodiscard]] pid_t Id() const { return id_; }
  // SIGKILL; does nothing once it has ended. True: it was running. While another thread waits, too.
  bool Kill();
  [[nodiscard]] bool HasEnded();
  void WaitForEnd();
  // "signal 9", "status 2", for messages; after its end.
  [[nodiscard]] std::string HowItEnded() const;

  // Our ends; empty without one. Outputs and status do not block.
  UniqueFd input = {};
  UniqueFd output = {};
  UniqueFd errors = {};
  UniqueFd status = {};
  UniqueFd terminal = {};  // the outer side, for its size

 private:
  bool Reap();

  pid_t id_ = -1;
  Mutex mutex_ = {};  // of the two below: no signal goes to a number that is another's by now
  bool ended_ = true;
  int wait_status_ = -1;  // -1: somebody else has taken it
  UniqueFd lifeline_ = {};
};

}  // namespace mxc::ffi
