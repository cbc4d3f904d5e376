// Watches calls of the command, through seccomp(2)'s user notifications: each waits until it has been looked
// at.
//
// connect(2) of a UDP socket sends nothing, so the packet filter of a sandbox with a gateway is not asked,
// and the command would take a destination that is denied for an open one. The launcher asks the filter, and
// has such a connect() fail with EACCES. What is sent later is refused by the filter itself, whatever was
// answered here.
//
// Calls that take a path, where they are watched as well, go on as if nobody had looked: nothing is decided,
// because what is read of the command's memory may change behind the look.
//
//   Result<CallWatch> watch = CallWatch::Start({.connections = true, .on_file = [&](const FileCall& call) {
//   ... }});
//   ... the sandbox's command gives us the listener through watch->WatchSocket() ...
//   watch->CloseWatchSocket();
//   poll(watch->Events(), POLLIN); watch->Take(revents);    // soon: the command waits for it
#pragma once

#include <functional>

#include "base/unique_fd.h"
#include "mxc/error.h"
#include "mxc/file_call.h"

namespace mxc {

class CallWatch {
 public:
  struct Wanted {
    bool connections = false;
    std::function<void(const FileCall&)> on_file = nullptr;  // absent: files are not watched
  };

  // Nothing wanted: every function does nothing. Errors: kSetupFailed.
  [[nodiscard]] static Result<CallWatch> Start(Wanted wanted);

  [[nodiscard]] int WatchSocket() const {
    return watch_socket_.Get();
  }  // the sandbox's end; -1: nothing is wanted, or closed
  void CloseWatchSocket() { watch_socket_.Reset(); }
  [[nodiscard]] int Events() const { return listener_ ? listener_.Get() : ours_.Get(); }
  void Take(short events);
  [[nodiscard]] bool WantsFiles() const { return wanted_.on_file != nullptr; }
  [[nodiscard]] bool Watched() const { return watched_; }  // the kernel has told of calls

 private:
  void TakeListener();
  void TakeCall();

  Wanted wanted_ = {};
  UniqueFd watch_socket_ = {};
  UniqueFd ours_ = {};
  UniqueFd listener_ = {};
  bool watched_ = false;
};

}  // namespace mxc
