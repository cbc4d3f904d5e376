// A command that runs while the caller goes on.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/unique_fd.h"
#include "ffi/mutex.h"
#include "ffi/process.h"
#include "ffi/status.h"
#include "ffi/stream.h"
#include "ffi/text.h"

struct MxcSandbox {
 public:
  MxcSandbox() = default;
  MxcSandbox(const MxcSandbox&) = delete;
  MxcSandbox& operator=(const MxcSandbox&) = delete;
  ~MxcSandbox();

  // Returns when the command runs. Fails when it will not.
  [[nodiscard]] mxc::ffi::Failure Begin(const mxc::ffi::Start& start);
  [[nodiscard]] std::uint32_t Id() const { return static_cast<std::uint32_t>(process_.Id()); }
  std::int32_t TakeDescriptors(MxcNativeStdio& stdio);
  MxcWriteStream* TakeInput();
  [[nodiscard]] mxc::ffi::Output* Stdout() { return stdout_; }
  [[nodiscard]] mxc::ffi::Output* Stderr() { return stderr_; }
  [[nodiscard]] bool HasTerminal() const { return static_cast<bool>(process_.terminal); }
  std::int32_t Resize(std::uint16_t rows, std::uint16_t columns);

  std::int32_t TryWait(std::int32_t& exit_code, std::int32_t& running, std::int32_t& timed_out);
  std::int32_t Wait(std::int32_t& exit_code, std::int32_t& timed_out);
  void Kill(bool for_timeout);

 private:
  [[nodiscard]] mxc::ffi::Failure WaitForStart();
  [[nodiscard]] mxc::ffi::Failure WhyNotStarted();
  void ReadUntilEnd();
  std::int32_t Outcome(std::int32_t& exit_code, std::int32_t& timed_out) const;

  mxc::ffi::Process process_;
  mxc::ffi::StatusLines lines_;
  mxc::ffi::Mutex reading_;       // of lines_
  std::atomic<int> waiting_ = 0;  // threads
  std::atomic<bool> killed_for_timeout_ = false;
  bool input_taken_ = false;
  bool transferred_ = false;
  mxc::ffi::Output* stdout_ = nullptr;  // shared; nullptr: there is none
  mxc::ffi::Output* stderr_ = nullptr;
};
