// A run of the program from beginning to end, with all it writes.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "ffi/process.h"
#include "ffi/status.h"
#include "ffi/text.h"

namespace mxc::ffi {

// Bytes that grow. Without memory they say so: a command may write more than there is.
class Bytes {
 public:
  Bytes() = default;
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { std::free(data_); }

  enum class Read { kMore, kNothingNow, kEnd, kNoMemory };
  [[nodiscard]] Read From(int borrowed_fd);
  [[nodiscard]] std::string_view View() const { return {data_, size_}; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t room_ = 0;
};

struct Captured {
  Bytes output = {};
  Bytes errors = {};
  StatusLines lines = {};
};

// Waits for its end. Fails where the program cannot be started, or says that the command was not run, or
// lost.
[[nodiscard]] Failure Capture(const Start& start, Captured& captured);

// Asks the program by its flags. Its answer, for std::string; empty: it gave none.
[[nodiscard]] std::string Ask(const char* flag);

}  // namespace mxc::ffi
