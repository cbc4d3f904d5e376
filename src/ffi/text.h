// Texts that callers get, and why something failed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mxc/ffi.h"

namespace mxc::ffi {

// For std::free. nullptr: no memory.
[[nodiscard]] char* Copy(std::string_view text);
// For mxc_string_free, which frees these alone.
[[nodiscard]] char* Lend(std::string_view text);
void TakeBack(char* lent);

[[nodiscard]] bool IsUtf8(std::string_view text);
// What is not UTF-8, and NUL, becomes U+FFFD. For std::free; nullptr: no memory.
[[nodiscard]] char* AsText(std::string_view bytes);

struct Failure {
  std::int32_t status = MXC_OK;
  std::string message = {};
  std::string remediation = {};
  const char* operation = nullptr;  // a call of the operating system
  int number = 0;                   // its errno

  [[nodiscard]] bool Failed() const { return status != MXC_OK; }
};

// `operation` failed with errno.
[[nodiscard]] Failure SystemFailure(const char* operation);
void Fill(const Failure& failure, MxcErrorDetail& detail);
void Free(MxcErrorDetail& detail);

}  // namespace mxc::ffi
