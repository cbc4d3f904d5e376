// Streams of a sandbox that callers read and write through the library.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/unique_fd.h"
#include "mxc/ffi.h"

namespace mxc::ffi {

// A stream of output. Its sandbox, whoever has taken it and its closers share it; the last one frees it.
class Output {
 public:
  explicit Output(UniqueFd fd) : fd_(static_cast<UniqueFd&&>(fd)) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  [[nodiscard]] Output* Share();
  void Drop();

  // For one reader; nullptr: it was taken, or there is none.
  [[nodiscard]] Output* Take();
  [[nodiscard]] UniqueFd TakeDescriptor();
  [[nodiscard]] bool Taken() const { return taken_; }
  [[nodiscard]] bool Transferred() const { return transferred_; }
  // What nobody else reads is read by who waits for the end of the run; -1: somebody does.
  [[nodiscard]] int Unread() const { return !taken_ || closed_ ? fd_.Get() : -1; }
  // Reads all there is, without waiting; when it has ended, the descriptor is closed.
  void Discard();

  std::int32_t Read(std::uint8_t* bytes, std::size_t size, std::size_t& count);
  std::int32_t Close();
  // From now on Close ends a read that waits. False: no descriptors are left.
  bool MakeClosable();

 private:
  ~Output() = default;

  std::atomic<int> shares_ = 1;
  std::atomic<bool> closed_ = false;
  bool taken_ = false;
  bool transferred_ = false;
  UniqueFd fd_;
  UniqueFd wake_ = {};
};

// SIGPIPE is not for the process that called.
[[nodiscard]] std::int32_t Write(int borrowed_fd, const std::uint8_t* bytes, std::size_t size,
                                 std::size_t& count);

}  // namespace mxc::ffi

struct MxcReadStream {
  mxc::ffi::Output* output;
};
struct MxcStreamCloser {
  mxc::ffi::Output* output;
};
struct MxcWriteStream {
  mxc::UniqueFd fd;
};
