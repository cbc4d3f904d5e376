// Watches system calls of the command through seccomp(2)'s user notifications: each call waits until the
// launcher has answered.
//
// connect(2) of a UDP socket sends nothing, so the packet filter of a sandbox with a gateway does not see it,
// and the command would take a denied destination for an open one. The launcher asks the filter and lets such
// a connect() fail with EACCES. The filter itself refuses datagrams, whatever the launcher answers here.
//
// Calls that take a path are only reported and always continue: the launcher cannot decide them, because the
// command can change its memory after the launcher has read it.
//
//   Result<CallWatch> watch = CallWatch::Start({.connections = true, .on_file = [&](const FileCall& call) {
//   ... }});
//   ... the sandbox's command gives us the listener through watch->WatchSocket() ...
//   watch->CloseWatchSocket();
//   poll(watch->Events(), POLLIN); watch->Take(revents);    // soon: the command waits for it
#pragma once

#include <cstdint>
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
    // With files: a socket of TCP is about to be connected to a port of the loopback by this thread.
    std::function<void(int, std::uint16_t)> on_loopback = nullptr;
    // With files: a socket of TCP is about to listen at a port that it was bound to.
    std::function<void(std::uint16_t)> on_listen = nullptr;
  };

  // Nothing wanted: every function does nothing. Errors: kSetupFailed.
  [[nodiscard]] static Result<CallWatch> Start(Wanted wanted);

  // The sandbox's end of the socket; -1: nothing is wanted, or it is closed.
  [[nodiscard]] int WatchSocket() const { return watch_socket_.Get(); }
  void CloseWatchSocket() { watch_socket_.Reset(); }
  [[nodiscard]] int Events() const { return listener_ ? listener_.Get() : ours_.Get(); }
  void Take(short events);
  [[nodiscard]] bool WantsFiles() const { return wanted_.on_file != nullptr; }
  [[nodiscard]] bool Watched() const { return watched_; }  // a notification has arrived

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
