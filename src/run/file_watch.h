// Watches what the command asks of files, through seccomp(2)'s user notifications: each call that takes a
// path waits until it has been looked at, and then goes on as if nobody had. Nothing is decided here, because
// what is read of the command's memory may change behind the look.
//
//   Result<FileWatch> watch = FileWatch::Start(wanted, [&](const FileCall& call) { ... });
//   ... the sandbox's command gives us the listener through watch->WatchSocket() ...
//   watch->CloseWatchSocket();
//   poll(watch->Events(), POLLIN); watch->Take(revents);    // soon: the command waits for it
#pragma once

#include <functional>

#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/file_call.h"

namespace mxc {

class FileWatch {
 public:
  using OnCall = std::function<void(const FileCall&)>;

  // Not `wanted`: every function does nothing. Errors: kSetupFailed.
  [[nodiscard]] static Result<FileWatch> Start(bool wanted, OnCall on_call);

  [[nodiscard]] int WatchSocket() const {
    return watch_socket_.Get();
  }  // the sandbox's end; -1: not wanted, or closed
  void CloseWatchSocket() { watch_socket_.Reset(); }
  [[nodiscard]] int Events() const { return listener_ ? listener_.Get() : ours_.Get(); }
  void Take(short events);
  [[nodiscard]] bool Wanted() const { return on_call_ != nullptr; }
  [[nodiscard]] bool Watched() const { return watched_; }  // the kernel has told of calls

 private:
  void TakeListener();
  void TakeCall();

  OnCall on_call_ = nullptr;
  UniqueFd watch_socket_ = {};
  UniqueFd ours_ = {};
  UniqueFd listener_ = {};
  bool watched_ = false;
};

}  // namespace mxc
