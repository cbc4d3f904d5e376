// The event loop of the gateway's one thread: descriptors, timers, and work deferred to the end of a turn.
//
//   class Listener : public Watcher { void OnEvents(std::uint32_t events) override; ... };
//   loop.Watch(fd, EPOLLIN, listener);   // borrowed; leaves the loop when the descriptor is closed
//   Timer timer; timer.Set(loop, 250, [this] { ... });
//   loop.Run();
//
// Delete a watcher by DeferDeletion, never directly in a handler: events of the same turn may still point to
// it.
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/unique_fd.h"

namespace mxc::egress {

// Edge-triggered events of a socket that is read and written until EAGAIN.
inline constexpr std::uint32_t kSocketEdges =
    static_cast<std::uint32_t>(EPOLLIN | EPOLLOUT | EPOLLRDHUP) | EPOLLET;

class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;
  virtual void OnEvents(std::uint32_t events) = 0;  // EPOLLIN ...
};

class Loop {
 public:
  Loop();

  [[nodiscard]] bool Ok() const { return static_cast<bool>(epoll_); }
  // false with errno.
  [[nodiscard]] bool Watch(int fd, std::uint32_t events, Watcher& watcher) const;
  // Hands a watched descriptor to another watcher.
  [[nodiscard]] bool Rewatch(int fd, std::uint32_t events, Watcher& watcher) const;
  void Unwatch(int fd) const;

  // Runs `work` in order, before the next wait or, where the turn is long, behind it: what happens meanwhile
  // is heard in time.
  void Defer(std::function<void()> work) { deferred_.push_back(std::move(work)); }
  // Destroys it when no event of this turn can point to it any more.
  void DeferDeletion(std::shared_ptr<Watcher> watcher) { ended_.push_back(std::move(watcher)); }

  void Run() {
    RunWhile([] { return true; });
  }
  // The same, until `goes_on`, which is asked before each turn, says no.
  void RunWhile(const std::function<bool()>& goes_on);
  void Stop() { stopped_ = true; }
  [[nodiscard]] std::uint64_t NowMs() const { return now_ms_; }  // CLOCK_MONOTONIC, of this turn
  // This turn has lasted long: what can wait should be deferred. Asks the clock.
  [[nodiscard]] bool IsTurnLong() const;
  [[nodiscard]] std::uint64_t Turns() const { return turns_; }

 private:
  friend class Timer;
  using Timers = std::multimap<std::uint64_t, std::function<void()>>;

  void Turn();
  void RunTimers();
  void RunDeferred();
  [[nodiscard]] int WaitMs() const;

  UniqueFd epoll_;
  Timers timers_;
  std::vector<std::function<void()>> deferred_;
  std::vector<std::shared_ptr<Watcher>> ended_;
  std::uint64_t now_ms_ = 0;
  std::uint64_t turns_ = 0;
  bool stopped_ = false;
};

// One pending call, which the destructor cancels.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { Cancel(); }

  void Set(Loop& loop, std::uint64_t delay_ms, std::function<void()> call);
  void Cancel();
  [[nodiscard]] bool IsSet() const { return loop_ != nullptr; }

 private:
  Loop* loop_ = nullptr;  // absent: not set
  Loop::Timers::iterator place_;
};

[[nodiscard]] std::uint64_t WallClockMs();  // since 1970

}  // namespace mxc::egress
