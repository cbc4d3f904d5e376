// A console of the command's own (ConPTY), shown in the caller's. In the caller's itself a command could type
// what the caller's shell reads next.
#pragma once

#include <windows.h>

#include <utility>

#include "mxc/error.h"
#include "win32/unique_handle_windows.h"

namespace mxc {

// How many of our three standard streams are a console.
[[nodiscard]] int ConsoleStreams();

class PrivateConsole {
 public:
  PrivateConsole() = default;
  PrivateConsole(const PrivateConsole&) = delete;
  PrivateConsole& operator=(const PrivateConsole&) = delete;
  ~PrivateConsole();

  // As large as the caller's. Errors: kUnavailable before Windows 10 1809; kSetupFailed.
  [[nodiscard]] Status Open();
  // For the attribute of the same name; as long as this object.
  [[nodiscard]] HPCON Get() const { return console_; }
  // What the command shows; it ends with Close.
  [[nodiscard]] UniqueHandle TakeOutput() { return std::move(output_); }
  // From now on every key that is typed goes to the command, and its window follows the size of the caller's.
  void Connect();
  // Shows the rest first: somebody must still read the output. The caller's console is as it was.
  void Close();

 private:
  static DWORD WINAPI PassOn(void* self);
  void PassKeysOn();
  void FollowSize();

  HPCON console_ = nullptr;
  COORD size_ = {};
  UniqueHandle input_ = {};
  UniqueHandle output_ = {};
  UniqueHandle stop_ = {};
  UniqueHandle thread_ = {};
  DWORD input_mode_ = 0;  // of the caller's console, before
  DWORD output_mode_ = 0;
  UINT input_page_ = 0;
  UINT output_page_ = 0;
};

}  // namespace mxc
