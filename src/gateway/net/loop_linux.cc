#include "gateway/net/loop_linux.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <iterator>
#include <utility>

namespace mxc::egress {
namespace {

constexpr std::size_t kEventsPerTurn = 256;
constexpr std::uint64_t kLongTurnMs = 20;

std::uint64_t ReadClock(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1000000;
}

}  // namespace

std::uint64_t WallClockMs() { return ReadClock(CLOCK_REALTIME); }

Loop::Loop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)), now_ms_(ReadClock(CLOCK_MONOTONIC)) {}

bool Loop::Watch(int fd, std::uint32_t events, Watcher& watcher) const {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  return ::epoll_ctl(epoll_.Get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

bool Loop::Rewatch(int fd, std::uint32_t events, Watcher& watcher) const {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watcher;
  return ::epoll_ctl(epoll_.Get(), EPOLL_CTL_MOD, fd, &event) == 0;
}

void Loop::Unwatch(int fd) const { ::epoll_ctl(epoll_.Get(), EPOLL_CTL_DEL, fd, nullptr); }

void Loop::RunWhile(const std::function<bool()>& goes_on) {
  while (!stopped_ && goes_on()) Turn();
}

int Loop::WaitMs() const {
  if (!deferred_.empty()) return 0;
  if (timers_.empty()) return -1;
  const std::uint64_t next = timers_.begin()->first;
  return next > now_ms_ ? static_cast<int>(std::min<std::uint64_t>(next - now_ms_, 1U << 30)) : 0;
}

void Loop::Turn() {
  std::array<epoll_event, kEventsPerTurn> events{};
  const int count = ::epoll_wait(epoll_.Get(), events.data(), static_cast<int>(events.size()), WaitMs());
  now_ms_ = ReadClock(CLOCK_MONOTONIC);
  ++turns_;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events.at(static_cast<std::size_t>(i));
    static_cast<Watcher*>(event.data.ptr)->OnEvents(event.events);
  }
  RunTimers();
  RunDeferred();
  ended_.clear();
}

void Loop::RunTimers() {
  while (!timers_.empty() && timers_.begin()->first <= now_ms_) {
    // The call belongs to a Timer, which thinks it is set until it is told: it may set itself anew meanwhile.
    const std::function<void()> call = timers_.begin()->second;
    call();
  }
}

void Loop::RunDeferred() {
  std::vector<std::function<void()>> work = std::exchange(deferred_, {});
  auto next = work.begin();
  while (next != work.end()) {
    (*next++)();
    if (IsTurnLong()) break;
  }
  deferred_.insert(deferred_.begin(), std::make_move_iterator(next), std::make_move_iterator(work.end()));
}

bool Loop::IsTurnLong() const { return ReadClock(CLOCK_MONOTONIC) - now_ms_ >= kLongTurnMs; }

void Timer::Set(Loop& loop, std::uint64_t delay_ms, std::function<void()> call) {
  Cancel();
  loop_ = &loop;
  place_ = loop.timers_.emplace(loop.now_ms_ + delay_ms, [this, call = std::move(call)] {
    const std::function<void()> mine = call;
    Cancel();
    mine();
  });
}

void Timer::Cancel() {
  if (loop_ != nullptr) std::exchange(loop_, nullptr)->timers_.erase(place_);
}

}  // namespace mxc::egress
