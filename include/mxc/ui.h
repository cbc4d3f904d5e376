// A sandbox's access to the caller's desktop.
#pragma once

#include <string>

namespace mxc {

enum class Clipboard { kNone, kRead, kWrite, kAll };

// Windows, clipboard and synthetic input of the caller's session. Linux sandboxes give none of them. A
// pointer is empty if the clause was not written.
struct Ui {
  bool disabled = true;
  std::string disabled_pointer = {};
  Clipboard clipboard = Clipboard::kNone;
  std::string clipboard_pointer = {};
  bool injection = false;
  std::string injection_pointer = {};
};

}  // namespace mxc
