#include "ffi/sandbox.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <mutex>
#include <utility>

using mxc::UniqueFd;
using mxc::ffi::Failure;
using mxc::ffi::Output;

MxcSandbox::~MxcSandbox() {
  if (stdout_ != nullptr) stdout_->Drop();
  if (stderr_ != nullptr) stderr_->Drop();
}

Failure MxcSandbox::Begin(const mxc::ffi::Start& start) {
  if (Failure failure = process_.Begin(start); failure.Failed()) return failure;
  if (Failure failure = WaitForStart(); failure.Failed()) return failure;
  if (process_.output) stdout_ = new Output(std::move(process_.output));
  if (process_.errors) stderr_ = new Output(std::move(process_.errors));
  return {};
}

Failure MxcSandbox::WaitForStart() {
  for (;;) {
    pollfd status{.fd = process_.status.Get(), .events = POLLIN, .revents = 0};
    if (::poll(&status, 1, -1) < 0 && errno != EINTR) return mxc::ffi::SystemFailure("poll");
    const bool open = lines_.Read(process_.status.Get());
    if (lines_.Refusal().Failed()) return lines_.Refusal();
    if (lines_.Started()) return {};
    if (!open) return WhyNotStarted();
  }
}

// It said nothing where we listen: another version of it, or it was killed.
Failure MxcSandbox::WhyNotStarted() {
  process_.WaitForEnd();
  Failure failure{.status = MXC_BACKEND_ERROR,
                  .message = "mxc-exec ended with " + process_.HowItEnded() + " before the command started"};
  char said[1024];
  const ssize_t count = process_.errors ? ::read(process_.errors.Get(), &said[0], sizeof said) : 0;
  if (count > 0) failure.message += ": " + std::string(&said[0], static_cast<std::size_t>(count));
  return failure;
}

std::int32_t MxcSandbox::TakeDescriptors(MxcNativeStdio& stdio) {
  if (transferred_) return MXC_BACKEND_UNAVAILABLE;
  const bool taken =
      input_taken_ || (stdout_ != nullptr && stdout_->Taken()) || (stderr_ != nullptr && stderr_->Taken());
  if (taken || stdout_ == nullptr) return MXC_BACKEND_ERROR;
  transferred_ = true;
  input_taken_ = true;
  stdio.stdin_handle = process_.input.Release();
  stdio.stdout_handle = stdout_->TakeDescriptor().Release();
  if (stderr_ != nullptr) stdio.stderr_handle = stderr_->TakeDescriptor().Release();
  return MXC_OK;
}

MxcWriteStream* MxcSandbox::TakeInput() {
  if (input_taken_ || !process_.input) return nullptr;
  input_taken_ = true;
  return new MxcWriteStream{std::move(process_.input)};
}

std::int32_t MxcSandbox::Resize(std::uint16_t rows, std::uint16_t columns) {
  if (!HasTerminal()) return MXC_BACKEND_ERROR;
  const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  return ::ioctl(process_.terminal.Get(), TIOCSWINSZ, &size) == 0 ? MXC_OK : MXC_BACKEND_ERROR;
}

// What the program wrote last is in the pipe when it has ended.
std::int32_t MxcSandbox::TryWait(std::int32_t& exit_code, std::int32_t& running, std::int32_t& timed_out) {
  const bool ended = waiting_ == 0 && process_.HasEnded();
  running = ended ? 0 : 1;
  exit_code = 0;
  timed_out = 0;
  if (!ended) return MXC_OK;
  const std::lock_guard lock(reading_);
  lines_.Read(process_.status.Get());
  return Outcome(exit_code, timed_out);
}

std::int32_t MxcSandbox::Wait(std::int32_t& exit_code, std::int32_t& timed_out) {
  ++waiting_;
  const std::lock_guard lock(reading_);
  if (!input_taken_) process_.input.Reset();
  input_taken_ = true;
  ReadUntilEnd();
  process_.WaitForEnd();
  lines_.Read(process_.status.Get());
  --waiting_;
  return Outcome(exit_code, timed_out);
}

void MxcSandbox::ReadUntilEnd() {
  for (;;) {
    pollfd polls[] = {{.fd = process_.status.Get(), .events = POLLIN, .revents = 0},
                      {.fd = stdout_ != nullptr ? stdout_->Unread() : -1, .events = POLLIN, .revents = 0},
                      {.fd = stderr_ != nullptr ? stderr_->Unread() : -1, .events = POLLIN, .revents = 0}};
    if (::poll(&polls[0], std::size(polls), -1) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (polls[1].revents != 0) stdout_->Discard();
    if (polls[2].revents != 0) stderr_->Discard();
    if (polls[0].revents != 0 && !lines_.Read(process_.status.Get())) return;
  }
}

// A command whose end is told was not killed by us, however late the caller's own clock is.
std::int32_t MxcSandbox::Outcome(std::int32_t& exit_code, std::int32_t& timed_out) const {
  if (lines_.Refusal().Failed() && !lines_.Told()) return lines_.Refusal().status;
  exit_code = lines_.ExitCode();
  timed_out = lines_.TimedOut() || (!lines_.Told() && killed_for_timeout_) ? 1 : 0;
  return MXC_OK;
}

void MxcSandbox::Kill(bool for_timeout) {
  if (process_.Kill() && for_timeout) killed_for_timeout_ = true;
}
