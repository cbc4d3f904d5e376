// What crosses between the host and a machine of Windows Sandbox: files that the guest writes and the host
// reads. Of the guest only their bytes are taken, never a name or a link.
#pragma once

#include <windows.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "mxc/error.h"
#include "win32/unique_handle_windows.h"

namespace mxc {

// The handle does not let the name go to another file or a link while it is kept.
class GuestFile {
 public:
  // A new one. Errors: kSetupFailed.
  [[nodiscard]] Status Make(const std::string& path);
  // One that the guest has made in `folder`, which stands in one that the guest cannot change. False: it is
  // not there yet. Errors: kSetupFailed for anything but a file at that very place.
  [[nodiscard]] Result<bool> Open(const std::string& folder, const std::string& name);
  [[nodiscard]] bool IsOpen() const { return static_cast<bool>(file_); }

  // What came since; at most `limit` bytes.
  [[nodiscard]] std::string Take(std::size_t limit);

 private:
  UniqueHandle file_ = {};
  std::uint64_t taken_ = 0;
};

// Such a file as one of our standard streams.
class GuestOutput {
 public:
  explicit GuestOutput(DWORD stream) : stream_(::GetStdHandle(stream)) {}
  [[nodiscard]] GuestFile& File() { return file_; }
  // Everything there is. A reader that went away does not concern the command.
  void PassOn();

 private:
  HANDLE stream_;
  GuestFile file_ = {};
  bool open_ = true;
};

// All of standard input, at most 64 MiB, unless it is a console: nobody waits for a machine to type into.
// Errors: kSetupFailed.
[[nodiscard]] Result<std::string> AllInput();

}  // namespace mxc
