// What CreateProcess is told beside its arguments.
#pragma once

#include <windows.h>

#include <cstddef>
#include <memory>

#include "mxc/error.h"
#include "win32/wide_windows.h"

namespace mxc {

// One attribute of CreateProcess, as data.
struct StartAttribute {
  DWORD_PTR number = 0;
  void* value = nullptr;  // borrowed until the process is made
  std::size_t size = 0;
  const char* what = "";  // for messages
};

class StartAttributeList {
 public:
  StartAttributeList() {
    constexpr DWORD kMaxAttributes = 6;
    SIZE_T size = 0;
    ::InitializeProcThreadAttributeList(nullptr, kMaxAttributes, 0, &size);
    memory_ = std::make_unique<std::byte[]>(size);
    ready_ = ::InitializeProcThreadAttributeList(Get(), kMaxAttributes, 0, &size) != 0;
  }
  StartAttributeList(const StartAttributeList&) = delete;
  StartAttributeList& operator=(const StartAttributeList&) = delete;
  ~StartAttributeList() {
    if (ready_) ::DeleteProcThreadAttributeList(Get());
  }

  // Errors: kSetupFailed.
  Status Add(const StartAttribute& attribute) {
    if (ready_ && ::UpdateProcThreadAttribute(Get(), 0, attribute.number, attribute.value, attribute.size,
                                              nullptr, nullptr) != 0)
      return Done{};
    return WindowsError(ErrorCode::kSetupFailed, attribute.what, ::GetLastError());
  }
  [[nodiscard]] LPPROC_THREAD_ATTRIBUTE_LIST Get() const {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory_.get());
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  bool ready_ = false;
};

}  // namespace mxc
