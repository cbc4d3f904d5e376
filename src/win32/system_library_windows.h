// A library of the system, loaded at run time: what an older Windows does not have is then no reason not to
// start. Only from the system directory, never from where the program or the caller stands.
#pragma once

#include <windows.h>

#include <cstring>

namespace mxc {

class SystemLibrary {
 public:
  explicit SystemLibrary(const wchar_t* name)
      : module_(::LoadLibraryExW(name, nullptr, LOAD_LIBRARY_SEARCH_SYSTEM32)) {}
  SystemLibrary(const SystemLibrary&) = delete;
  SystemLibrary& operator=(const SystemLibrary&) = delete;
  ~SystemLibrary() {
    if (module_ != nullptr) ::FreeLibrary(module_);
  }

  explicit operator bool() const { return module_ != nullptr; }

  // nullptr when the library or the function is not there.
  template <class Function>
  [[nodiscard]] Function Find(const char* name) const {
    Function function = nullptr;
    if (module_ == nullptr) return function;
    const FARPROC found = ::GetProcAddress(module_, name);
    static_assert(sizeof(function) == sizeof(found));
    std::memcpy(&function, &found, sizeof function);
    return function;
  }
  [[nodiscard]] bool Has(const char* name) const { return Find<FARPROC>(name) != nullptr; }

 private:
  HMODULE module_;
};

}  // namespace mxc
