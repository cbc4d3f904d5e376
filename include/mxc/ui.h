// The desktop of the caller, as far as a sandbox may have it.
#pragma once

#include <string>

namespace mxc {

enum class Clipboard { kNone, kRead, kWrite, kAll };

// Windows, clipboard and synthetic input of the caller's session. Linux sandboxes have none of it to give.
// Pointers are empty for what was not written.
struct Ui {
  bool disabled = true;
  std::string disabled_pointer = {};
  Clipboard clipboard = Clipboard::kNone;
  std::string clipboard_pointer = {};
  bool injection = false;
  std::string injection_pointer = {};
};

}  // namespace mxc
