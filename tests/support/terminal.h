// A terminal for a program under test, and somebody who types and looks.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace mxc::test {

class Terminal {
 public:
  explicit Terminal(uid_t owner = ::geteuid());

  [[nodiscard]] int Fd() const { return theirs_.Get(); }  // Launch::terminal; ours
  void Type(std::string_view text) const;
  // All that was printed there since the last call.
  [[nodiscard]] std::string Output() const;
  // All that waits to be read there, as if it had been typed.
  [[nodiscard]] std::string Typed() const;
  // All that is printed until `text` has been, or until Eventually gives up.
  [[nodiscard]] std::string OutputUpTo(std::string_view text) const;

 private:
  UniqueFd ours_, theirs_;
};

}  // namespace mxc::test
