// Owner of a kernel handle. None is inheritable but those that cross into a child, which stand in its handle
// list.
#pragma once

#include <windows.h>

#include <utility>

namespace mxc {

class UniqueHandle {
 public:
  UniqueHandle() = default;
  // INVALID_HANDLE_VALUE, what CreateFile fails with, means none.
  explicit UniqueHandle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) Reset(std::exchange(other.handle_, nullptr));
    return *this;
  }
  UniqueHandle(const UniqueHandle&) = delete;
  UniqueHandle& operator=(const UniqueHandle&) = delete;
  ~UniqueHandle() { Reset(); }

  explicit operator bool() const { return handle_ != nullptr; }
  [[nodiscard]] HANDLE Get() const { return handle_; }
  void Reset(HANDLE handle = nullptr) {
    if (handle_ != nullptr) ::CloseHandle(handle_);
    handle_ = handle;
  }

 private:
  HANDLE handle_ = nullptr;
};

// For the handles that do cross.
inline SECURITY_ATTRIBUTES Inheritable() {
  return {.nLength = sizeof(SECURITY_ATTRIBUTES), .lpSecurityDescriptor = nullptr, .bInheritHandle = TRUE};
}

}  // namespace mxc
